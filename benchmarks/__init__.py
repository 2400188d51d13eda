"""What is promised, measured: run as `python -m benchmarks.NAME`, in threads as the service's."""

from service.settings import spare_threads

spare_threads()
