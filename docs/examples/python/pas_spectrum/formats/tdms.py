"""TDMS of National Instruments."""

import logging

import numpy as np
from nptdms import TdmsFile
from nptdms.log import log_manager

from ..faults import Fault, Refused
from ..recording import Column, Recording, unit_named


class Remarks(logging.Handler):
    """What nptdms passes over, such as a segment that is cut off, as faults of the file."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.faults = []

    def emit(self, record) -> None:
        self.faults.append(Fault("header", f"nptdms: {record.getMessage()}"))


def read_tdms(file) -> Recording:
    """Each channel with data, as GROUP/CHANNEL."""
    remarks = Remarks()
    for logger in log_manager.loggers.values():
        logger.handlers, logger.propagate = [remarks], False
    try:
        content = TdmsFile.read(file)
        channels = [channel for group in content.groups() for channel in group.channels() if len(channel)]
        columns = [column_of(channel) for channel in channels]
    except (ValueError, KeyError, EOFError, OverflowError) as fault:
        raise Refused(f"nptdms: {fault}") from None
    if not columns:
        raise Refused("no channel has data")
    return Recording("TDMS", columns, faults=remarks.faults)


def column_of(channel) -> Column:
    """Values as scaled by the file, seconds where they are times."""
    step, began = channel.properties.get("wf_increment"), channel.properties.get("wf_start_time")
    values, kind = channel[:], ""
    if np.issubdtype(values.dtype, np.datetime64):
        values, kind = (values - values[0]) / np.timedelta64(1, "s"), "time"
    start = "" if began is None or np.isnat(np.datetime64(began)) else f"{np.datetime64(began, 'ms')}Z"
    unit = "s" if kind else unit_named(str(channel.properties.get("unit_string", "")))
    rate = 1 / step if step else None
    return Column(f"{channel.group_name}/{channel.name}", np.asarray(values, dtype=float), unit, rate, start=start, kind=kind)
