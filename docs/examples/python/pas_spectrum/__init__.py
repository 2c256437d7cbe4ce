"""Recordings of vibration as SPECTRUM measurements; docs/recordings.md shows how to call it."""
