# askonto with its local embedding model; its data folder is a volume.
FROM python:3.11-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY ontology ontology
COPY queries queries
COPY loaders loaders
COPY service service
RUN python -m venv /askonto \
 && /askonto/bin/pip install --no-cache-dir --constraint constraints.txt '.[local]'

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home askonto && mkdir /data && chown askonto /data
COPY --from=build /askonto /askonto
USER askonto
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENV PATH=/askonto/bin:$PATH ASKONTO_DATA=/data ASKONTO_HOST=0.0.0.0 ASKONTO_PORT=8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["askonto"]
CMD ["serve"]
