"""A standalone Spark cluster on this machine: a master and workers, each a process (group) of its own."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path


class Cluster:
    """Started on free ports of 127.0.0.1; what was started is ended by its own id."""

    def __init__(self, folder, workers=2, cores=1, memory="700m"):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self.folder = Path(folder)
        self._processes = []
        self.master = self._start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.url = self._told("master", r"Starting Spark master at (spark://\S+)")
        self.workers = []
        for number in range(workers):
            worker = self._start(
                f"worker{number}", "worker.Worker", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0",
                "--cores", str(cores), "--memory", memory, "--work-dir", str(self.folder / f"work{number}"), self.url,
            )  # fmt: skip
            self.workers.append(worker)
            self._told(f"worker{number}", r"(Successfully registered with master)")

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def close(self):
        for process in reversed(self._processes):
            kill(process.pid)
            process.wait()

    def _start(self, name, kind, *arguments):
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
        environment["SPARK_DAEMON_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments],
                stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True, cwd=self.folder,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _told(self, name, pattern, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.log(name))
            if found:
                return found.group(1)
            time.sleep(0.1)
        raise TimeoutError(f"{name} did not start:\n{self.log(name)}")


def kill(group):
    """End a process and those that it started (a worker and its executors) at once, as kill -9 does."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
