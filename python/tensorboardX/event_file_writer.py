"""Event files."""

from compression_board.event_files import EventFileWriter, EventsWriter, directory_check  # noqa: F401
