"""A standalone Spark cluster on this machine: a master and workers, each a process (group) of its own."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


class Cluster:
    """Started on free ports of 127.0.0.1; what was started is ended by its own id.

    >>> with Cluster("/tmp/cluster", workers=2) as cluster:  # doctest: +SKIP
    ...     cluster.url
    'spark://127.0.0.1:34567'
    """

    def __init__(self, folder: str | Path, workers: int = 2, cores: int = 1, memory: str = "700m"):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self.folder = Path(folder)
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        try:
            self._start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
            self.url = self._told("master", r"Starting Spark master at (spark://\S+)")
            for number in range(workers):
                worker = self._start(
                    f"worker{number}", "worker.Worker", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0",
                    "--cores", str(cores), "--memory", memory, "--work-dir", str(self.folder / f"work{number}"),
                    self.url,
                )  # fmt: skip
                self.workers.append(worker)
            for number in range(workers):
                self._told(f"worker{number}", r"(Successfully registered with master)")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process that was started, and those that it started."""
        for process in reversed(self._processes):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
        environment["SPARK_DAEMON_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments],
                stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True, cwd=self.folder,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _told(self, name: str, pattern: str, seconds: int = 120) -> str:
        log = self.folder / f"{name}.log"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, log.read_text())
            if found:
                return found.group(1)
            time.sleep(0.1)
        raise TimeoutError(f"{name} did not start:\n{log.read_text()}")


def _die_with_parent() -> None:
    """Ask Linux to end this process when the one that started it is gone, however it went: none is left behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
