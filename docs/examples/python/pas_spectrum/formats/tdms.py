"""TDMS of National Instruments."""

import logging

import numpy as np
from nptdms import TdmsFile
from nptdms.log import log_manager

from ..faults import Fault, Refused
from ..recording import Column, Recording
from ..units import unit_in

UNITS = ("unit_string", "NI_UnitDescription", "Unit", "unit")  # properties of a channel


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
    except Exception as fault:  # a damaged file raises what its parsing meets
        raise Refused(f"nptdms: {fault}") from None
    channels = [channel for group in content.groups() for channel in group.channels() if len(channel)]
    columns = [column_of(channel) for channel in channels if channel.dtype.kind in "fiubM"]  # not texts, such as remarks
    if not columns:
        raise Refused("no channel has data")
    return Recording("TDMS", columns, faults=remarks.faults)


def column_of(channel) -> Column:
    """Values as scaled by the file, seconds where they are times."""
    step, began = channel.properties.get("wf_increment"), channel.properties.get("wf_start_time")
    values, kind = channel[:], ""
    if np.issubdtype(values.dtype, np.datetime64):
        values, kind = (values - values[0]) / np.timedelta64(1, "s"), "time"
    # A clock that was never set begins in 1904.
    is_dated = isinstance(began, np.datetime64) and began > np.datetime64("1970-01-01")
    start = f"{began.astype('datetime64[ms]')}Z" if is_dated else ""
    unit, doubt = ("s", "") if kind else unit_of(channel)
    rate = 1 / step if isinstance(step, (int, float, np.number)) and step else None
    return Column(f"{channel.group_name}/{channel.name}", np.asarray(values, dtype=float), unit, rate, start=start, kind=kind, doubt=doubt)


def unit_of(channel):
    """The unit by a property, such as `m/s^2` or `Acceleration (m/s^2)`, else by the name; and what may be one."""
    stated = next((str(channel.properties[name]).strip() for name in UNITS if str(channel.properties.get(name, "")).strip()), "")
    _, unit, doubt = unit_in(stated or channel.name)
    if stated:
        return unit, "" if unit else stated
    return unit, "" if "/" in channel.name else doubt  # as of cDAQ1Mod1/ai0
