"""Opens record files in S3 and Google Cloud Storage. SummaryWriter itself writes to s3://."""

from __future__ import annotations

import io

from . import _engine


def bucket_and_path(path: str) -> tuple[str, str]:
    """Splits s3://bucket/some/key into (bucket, some/key)."""
    _, _, rest = path.partition("://")
    bucket, _, key = rest.partition("/")
    return bucket, key


class _Uploaded:
    """A file that is uploaded completely at each flush, because object stores cannot append."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.buffer = io.BytesIO()

    def bucket_and_path(self) -> tuple[str, str]:
        return bucket_and_path(self.path)

    def write(self, val: bytes) -> None:
        self.buffer.write(val)

    def flush(self) -> None:
        self._upload(*self.bucket_and_path(), self.buffer.getvalue())

    def close(self) -> None:
        self.flush()

    def _upload(self, bucket: str, key: str, content: bytes) -> None:
        raise NotImplementedError


class S3RecordWriter(_Uploaded):
    def _upload(self, bucket: str, key: str, content: bytes) -> None:
        _engine.write_file(f"s3://{bucket}/{key}", content)


class GCSRecordWriter(_Uploaded):
    def _upload(self, bucket: str, key: str, content: bytes) -> None:
        try:
            from google.cloud import storage
        except ImportError:
            raise ImportError(
                "cannot write to gs:// without credentials; set the HMAC keys GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, or install the package google-cloud-storage"
            ) from None
        storage.Client().bucket(bucket).blob(key).upload_from_string(content)


class S3RecordWriterFactory:
    """Opens files whose path begins with s3:."""

    def open(self, path: str) -> S3RecordWriter:
        return S3RecordWriter(path)

    def directory_check(self, path: str) -> None:
        """Does nothing: object stores have no directories."""


class GCSRecordWriterFactory:
    """Opens files whose path begins with gs:."""

    def open(self, path: str) -> GCSRecordWriter:
        return GCSRecordWriter(path)

    def directory_check(self, path: str) -> None:
        """Does nothing: object stores have no directories."""
