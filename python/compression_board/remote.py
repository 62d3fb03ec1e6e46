"""Logdirs on S3 (boto3) and Google Cloud Storage (google-cloud-storage)."""

from __future__ import annotations

import io
import os
from typing import Any


def bucket_and_path(path: str) -> tuple[str, str]:
    """s3://bucket/some/key -> (bucket, some/key)."""
    _, _, rest = path.partition("://")
    bucket, _, key = rest.partition("/")
    return bucket, key


def _s3() -> Any:
    try:
        import boto3
    except ImportError:
        raise ImportError("logging to s3:// needs boto3: pip install boto3") from None
    return boto3.client("s3", endpoint_url=os.environ.get("S3_ENDPOINT"))


def upload_s3(local_path: str) -> None:
    """Uploads a file below the local directory `s3:` to the bucket and key in its path."""
    bucket, key = bucket_and_path(
        local_path.replace("s3:/", "s3://", 1) if "://" not in local_path else local_path
    )
    _s3().upload_file(local_path, bucket, key)


class _Uploaded:
    """A file that is uploaded as a whole on each flush: object stores cannot append."""

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
        _s3().put_object(Bucket=bucket, Key=key, Body=content)


class GCSRecordWriter(_Uploaded):
    def _upload(self, bucket: str, key: str, content: bytes) -> None:
        try:
            from google.cloud import storage
        except ImportError:
            raise ImportError("logging to gs:// needs google-cloud-storage") from None
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
