"""A worker that starts at once, for a thousand starts: it asks for one statement a call, then answers NULL."""

import os
import socket
import struct
import sys

line = socket.socket(fileno=int(sys.argv[-2]))


def send(tag, payload):
    line.sendall(tag + struct.pack("<Q", len(payload)) + payload)


def receive():
    head = line.recv(9, socket.MSG_WAITALL)
    if len(head) < 9:
        os._exit(0)
    line.recv(struct.unpack("<Q", head[1:])[0], socket.MSG_WAITALL)
    return head[:1]


while True:
    receive()
    send(b"Q", struct.pack("<I", 0) + b"INSERT INTO calls SELECT 1 RETURNING 1\0")
    while receive() not in (b"Z", b"E"):
        pass
    send(b"R", b"\1" + struct.pack("<Q", 0) + struct.pack("<I", 0))
