"""Event files."""

from compression_board.event_files import EventFileWriter, EventsWriter, directory_check

__all__ = ["EventFileWriter", "EventsWriter", "directory_check"]
