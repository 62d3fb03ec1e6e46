"""Event files that chaos.py writes itself, and changes to files of other programs: they are
truncated, edited, replaced, renamed, completed out of order and deleted.

Every value is equal to its step, and every wall time follows from the step, so that a wrong point
is noticed at any time. Each file is the only one in its run.
"""

import errno
import os
import shutil
import struct

from logs import VERSION, record, scalar_event, varint

MAX_RUNS = 12
MAX_FILE_BYTES = 4 << 20
FIRST_WALL_TIME = 1e9
NAME = "events.out.tfevents.1.chaos"
OBSTACLES = "obstacles"  # A directory of names that look like event files.


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def text_of(step):
    return f"{step} " * (step * 7919 % 3000 + 1)


def text_event(tag, step):
    metadata = field(9, field(1, field(1, b"text")))
    tensor = field(8, b"\x08\x07" + field(2, field(2, b"\x08\x01")) + field(8, text_of(step).encode()))
    summary = field(1, field(1, tag.encode()) + metadata + tensor)
    return b"\x09" + struct.pack("<d", FIRST_WALL_TIME + step) + b"\x10" + varint(step) + field(5, summary)


def write(path, mode, pieces):
    """Writes like other programs: a full disk accepts a part of the bytes, or nothing."""
    try:
        with open(path, mode, buffering=0) as file:
            for piece in pieces:
                while piece:
                    piece = piece[file.write(piece):]
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


class EventFile:
    def __init__(self, path):
        self.path = path
        # Edits in place: docs/reliability.md does not promise that such an edit is distinguished
        # from growth.
        self.is_edited = False

    def size(self):
        return self.path.stat().st_size


class Files:
    """Each change returns False if it cannot be made now."""

    def __init__(self, logdir, random, look):
        self.logdir = logdir
        self.random = random
        self.look = look  # Called between two parts of a change.
        self.files = []
        self.step = 0
        self.number = 0
        self.changes = {self.create: 8, self.append: 20, self.append_half: 6, self.append_slowly: 4,
                        self.append_zeros: 2, self.truncate: 6, self.overwrite: 6, self.rewrite: 5, self.replace: 5,
                        self.complete_out_of_order: 3, self.rename_run: 4, self.rename_file: 3, self.swap: 2,
                        self.delete: 4, self.put_obstacles: 1}

    # Content.

    def records(self, count, text_share=0.01):
        """Writes scalars of three tags and some long texts."""
        self.step += count
        return b"".join(
            record(text_event("note", step) if self.random.random() < text_share
                   else scalar_event(f"t{step % 3}", step, step, FIRST_WALL_TIME + step))
            for step in range(self.step - count + 1, self.step + 1))

    def content(self):
        version = VERSION * self.random.choice([0, 1, 1, 1])
        # Boards read such files in parallel, and serve 1,000 texts of a tag.
        if self.random.random() < 0.02:
            return version + self.records(1000, text_share=0) * 250
        return version + self.records(self.random.choice([0, 3, 100, 1000, 3000]))

    def in_pieces(self, content):
        cuts = sorted(self.random.randrange(len(content) + 1) for _ in range(self.random.choice([0, 1, 3])))
        return [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)])]

    def new_name(self):
        self.number += 1
        return f"{self.random.choice(['a', 'b/c', 'd'])}{self.number}"

    def new_path(self):
        """Writes to a separate run; returns None if there are enough runs, or the disk is full."""
        path = self.logdir / self.new_name() / NAME
        try:
            if len(self.files) < MAX_RUNS:
                path.parent.mkdir(parents=True)
                return path
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        return None

    def choose(self, may_grow=False):
        choice = [file for file in self.files if not may_grow or not file.is_edited and file.size() < MAX_FILE_BYTES]
        return self.random.choice(choice) if choice else None

    # Changes.

    def create(self):
        if not (path := self.new_path()):
            return False
        self.files.append(EventFile(path))
        write(path, "wb", self.in_pieces(self.content()))
        return True

    def append(self):
        if not (file := self.choose(may_grow=True)):
            return False
        write(file.path, "ab", self.in_pieces(self.records(self.random.choice([1, 10, 500]))))
        return True

    def append_half(self):
        """Simulates a program that was killed while it wrote."""
        if not (file := self.choose(may_grow=True)):
            return False
        content = self.records(self.random.choice([1, 2, 50]))
        write(file.path, "ab", [content[:self.random.randrange(len(content))]])
        return True

    def append_slowly(self):
        if not (file := self.choose(may_grow=True)):
            return False
        for piece in self.in_pieces(self.records(200)):
            write(file.path, "ab", [piece])
            self.look()
        return True

    def append_zeros(self):
        if not (file := self.choose(may_grow=True)):
            return False
        os.truncate(file.path, file.size() + self.random.choice([1, 11, 5000, 300_000]))
        return True

    def truncate(self):
        if not (file := self.choose()):
            return False
        size = file.size()
        os.truncate(file.path, self.random.choice([0, self.random.randrange(size + 1), max(0, size - 5)]))
        return True

    def overwrite(self):
        file = self.choose()
        if not file or file.size() == 0:
            return False
        before = file.path.stat()
        at = self.random.randrange(before.st_size)
        content = self.random.choice([bytes(100), self.random.randbytes(3), bytes(20_000), self.records(100)])
        file.is_edited = True
        with open(file.path, "r+b", buffering=0) as opened:
            opened.seek(at)
            try:
                opened.write(content[:before.st_size - at])
            except OSError as error:  # A hole in the file for which the disk has no space.
                if error.errno != errno.ENOSPC:
                    raise
        if self.random.random() < 0.3:
            os.utime(file.path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return True

    def rewrite(self):
        if not (file := self.choose()):
            return False
        file.is_edited = False
        write(file.path, "wb", self.in_pieces(self.content()))
        return True

    def replace(self):
        if not (file := self.choose()):
            return False
        is_longer = self.random.random() < 0.3 and file.size() < MAX_FILE_BYTES
        new = file.path.with_name("new")
        write(new, "wb", [file.path.read_bytes() + self.records(5) if is_longer else self.content()])
        os.replace(new, file.path)
        file.is_edited = False
        return True

    def complete_out_of_order(self):
        """Simulates a download in parts: the file has its full length at once, or grows as parts
        arrive.
        """
        if not (path := self.new_path()):
            return False
        content = VERSION + self.records(2000)
        part = len(content) // 6 + 1
        begins = list(range(0, len(content), part))
        self.random.shuffle(begins)
        self.files.append(EventFile(path))
        try:
            with open(path, "wb", buffering=0) as opened:
                if self.random.random() < 0.5:
                    opened.truncate(len(content))
                for begin in begins:
                    opened.seek(begin)
                    opened.write(content[begin:begin + part])
                    self.look()
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        return True

    def rename_run(self):
        file = self.choose()
        new = self.new_path()
        if not file or not new:
            return False
        os.rename(file.path.parent, new.parent)  # Replaces an empty directory.
        file.path = new.with_name(file.path.name)
        return True

    def rename_file(self):
        if not (file := self.choose()):
            return False
        self.number += 1
        new = file.path.with_name(f"events.out.tfevents.{self.number}.chaos")
        os.rename(file.path, new)
        file.path = new
        return True

    def swap(self):
        if len(self.files) < 2:
            return False
        a, b = self.random.sample(self.files, 2)
        between = a.path.with_name("between")
        os.rename(a.path, between)
        os.rename(b.path, a.path)
        os.rename(between, b.path)
        a.is_edited, b.is_edited = b.is_edited, a.is_edited
        return True

    def delete(self):
        if not (file := self.choose()):
            return False
        self.files.remove(file)
        if self.random.random() < 0.5:
            file.path.unlink()
        else:
            shutil.rmtree(file.path.parent)
        return True

    def put_obstacles(self):
        place = self.logdir / OBSTACLES
        shutil.rmtree(place, ignore_errors=True)
        try:
            place.mkdir()
            (place / "tfevents.directory").mkdir()
            os.mkfifo(place / "tfevents.pipe")
            for name, target in {"loop": "tfevents.loop", "nowhere": "nowhere", "zero": "/dev/zero",
                                 "kmsg": "/proc/kmsg", "up": ".."}.items():
                (place / f"tfevents.{name}").symlink_to(target)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        return True
