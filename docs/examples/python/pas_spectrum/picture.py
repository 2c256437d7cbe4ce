"""The time signal and its spectrum, as SVG."""

from html import escape

import numpy as np

from .spectrum import spectrum_of

WIDTH, HEIGHT, LEFT, GAP = 900, 180, 80, 80
POINTS = 900


def picture_of(signal, options):
    """Both with units on their axes."""
    at = np.arange(len(signal.samples)) / signal.rate
    spacing = max(options.spacing, 4 * signal.rate / len(signal.samples))
    lines, spacing, _ = spectrum_of(signal.samples, signal.rate, spacing)
    hz = np.arange(len(lines)) * spacing
    parts = chart(60, f"{signal.title}: time signal", at, signal.samples, "s", signal.unit)
    parts += chart(60 + HEIGHT + GAP, f"Spectrum, lines {spacing:.3g} Hz apart", hz, lines, "Hz", f"{signal.unit} RMS")
    size = f'width="{LEFT + WIDTH + 40}" height="{60 + 2 * HEIGHT + GAP + 50}"'
    style = 'font-family="sans-serif" font-size="13" fill="#222"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'


def chart(top, title, x, y, x_unit, y_unit):
    """A line, with five marks on each axis."""
    low, high = min(0.0, float(y.min())), max(float(y.max()), 1e-12)
    ends = [x[0], x[-1]]

    def across(value):
        return LEFT + WIDTH * (value - ends[0]) / (ends[1] - ends[0])

    def up(value):
        return top + HEIGHT * (1 - (value - low) / (high - low))

    parts = [f'<text x="{LEFT}" y="{top - 16}" font-weight="600">{escape(title)}</text>']
    for share in np.linspace(0, 1, 5):
        value, level = ends[0] + share * (ends[1] - ends[0]), low + share * (high - low)
        parts.append(f'<text x="{across(value):.1f}" y="{top + HEIGHT + 20}" text-anchor="middle">{value:.6g} {x_unit}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{up(level) + 4:.1f}" text-anchor="end">{level:.3g}</text>')
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{up(level):.1f}" y2="{up(level):.1f}" stroke="#ddd"/>')
    parts.append(f'<text x="{LEFT - 6}" y="{top - 16}" text-anchor="end">{escape(y_unit)}</text>')
    points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in thinned(x, y))
    return [*parts, f'<polyline points="{points}" fill="none" stroke="#1f5fa8"/>']


def thinned(x, y):
    """The least and the greatest of each stretch: what is drawn looks the same."""
    if len(x) <= 2 * POINTS:
        return list(zip(x, y))
    stretches = np.array_split(np.arange(len(x)), POINTS)
    return [(x[at], y[at]) for one in stretches for at in sorted((one[y[one].argmin()], one[y[one].argmax()]))]
