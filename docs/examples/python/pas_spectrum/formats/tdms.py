"""TDMS of National Instruments."""

import numpy as np
from nptdms import TdmsFile

from ..faults import Refused
from ..recording import Column, Recording, unit_named


def read_tdms(file) -> Recording:
    """Each channel with data, as GROUP/CHANNEL."""
    try:
        content = TdmsFile.read(file)
        channels = [channel for group in content.groups() for channel in group.channels() if len(channel)]
        columns = [column_of(channel) for channel in channels]
    except (ValueError, KeyError, EOFError, OverflowError) as fault:
        raise Refused(f"nptdms: {fault}") from None
    if not columns:
        raise Refused("no channel has data")
    return Recording("TDMS", columns)


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
