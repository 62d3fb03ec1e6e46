"""Protobuf messages under tensorboardX's names."""
