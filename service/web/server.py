"""gunicorn around the app: threads, one socket taken before anything starts, a clean stop."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.workers.gthread import ThreadWorker

from ontology.errors import AskontoError, InputError
from service.datafolder import DISK_ERRORS, disk_error
from service.settings import Settings
from service.web.app import create_app

log = logging.getLogger(__name__)

_BOOT_FAILED = 3
_WORKERS = 4


class Server(BaseApplication):  # type: ignore[misc]
    """Serves the app on a listening socket, which it takes over, until it is told to stop."""

    def __init__(self, settings: Settings, listener: socket.socket, ready: Callable[[], None]):
        self._settings = settings
        self._listener = listener.detach()
        self._ready = ready
        super().__init__()

    def load_config(self) -> None:
        """gunicorn's own settings, of ours."""
        for name, value in {
            "bind": f"fd://{self._listener}",
            "workers": self._settings.workers or min(os.cpu_count() or 1, _WORKERS),
            "threads": self._settings.threads,
            "worker_class": Worker,
            "limit_request_line": 8190,
            "control_socket_disable": True,
            "loglevel": self._settings.log_level,
            "post_worker_init": self._started,
            "worker_exit": _close,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """The app, built in the worker: its threads and connections would not survive a fork."""
        try:
            return create_app(self._settings)
        except AskontoError as error:
            log.critical("%s", error)
        except DISK_ERRORS as error:
            log.critical("%s", disk_error(error))
        sys.exit(_BOOT_FAILED)

    def _started(self, worker: Worker) -> None:
        """Tell of the first worker that it serves, and have each learn before it is asked."""
        if worker.age == 1:
            self._ready()
        worker.wsgi.extensions["askonto"].answering.prepare_beside()


class Worker(ThreadWorker):  # type: ignore[misc]
    """Tells what is no HTTP request, or too long a one, as a problem too, and stops cleanly."""

    def handle_quit(self, sig: int, frame: Any) -> None:
        """End as on SIGTERM: gunicorn's own handler waits for a lock that this thread may hold."""
        self.handle_exit(sig, frame)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Answer with problem+json and close."""
        status = _status(exc)
        if status is HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("a request failed outside the app", exc_info=exc)
        body = json.dumps(
            {
                "type": "about:blank",
                "title": status.phrase,
                "status": status,
                "detail": _detail(exc),
            }
        )
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            client.sendall((head + body).encode("ascii"))
        except OSError:
            log.debug("the client left before its error was told")


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; raises InputError, with the mend, where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a reply waits 40 ms
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(
            f"cannot be served on: {getattr(error, 'strerror', '') or error}",
            name=f"{host}:{port}",
            mend="Choose another port with --port or ASKONTO_PORT, or stop what listens there",
        ) from None
    listener.listen(256)
    return listener


def _close(arbiter: object, worker: Worker) -> None:
    """Let go of what the worker's app was built of, if it came so far."""
    app = getattr(worker, "wsgi", None)
    if isinstance(app, Flask):
        app.extensions["askonto"].close()


def _status(error: BaseException) -> HTTPStatus:
    if isinstance(error, LimitRequestLine):
        return HTTPStatus.REQUEST_URI_TOO_LONG
    if isinstance(error, LimitRequestHeaders):
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    if isinstance(error, ParseException):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _detail(error: BaseException) -> str:
    if isinstance(error, LimitRequestLine):
        return "The address is too long; send the query by POST."
    return "This is no HTTP request that can be read." if isinstance(error, ParseException) else ""
