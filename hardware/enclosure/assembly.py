"""The assembled console and station, with printed and bought parts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from build123d import Pos, Rot

from hardware.enclosure import bought, clamp, console, hood, lid, pod, stand, station


class Thing:
    """A named solid at its place in the assembly, printed or bought."""

    def __init__(self, name: str, solid: Any, printed: bool) -> None:
        self.name, self.solid, self.printed = name, solid, printed


def console_things(p: SimpleNamespace) -> list[Thing]:
    """The assembled console."""
    knob_at = console.on_lid(p, p.encoder.at_mm) * Pos(0, 0, p.knob.above_lid_mm)
    printed = {
        "console-base": console.base(p),
        "console-lid": lid.lid(p),
        "console-hood": hood.hood(p),
        "knob": knob_at * console.knob(p),
        "clamp": clamp.bracket(p),
    }
    made = {
        "pi": bought.pi(p),
        "carrier": bought.carrier(p),
        "display": bought.display(p),
        "pane": bought.pane(p),
        "encoder": bought.encoder(p),
        "piezo": bought.piezo(p),
        "speaker": bought.speaker(p),
        "power button": bought.power_button(p),
        "power plug": bought.power_plug(p),
    } | {f"socket {n}": solid for n, solid in enumerate(reversed(bought.sockets(p)), start=1)}
    return _things(printed, made)


def zero_things(p: SimpleNamespace) -> list[Thing]:
    """The console's right part with a Zero in place of the Pi."""
    mount = console.pi_place(p) * console.zero_mount(p)
    printed = {"console-base": console.base(p), "console-lid": lid.lid(p), "zero-mount": mount}
    return _things(printed, {"zero": bought.zero(p), "carrier": bought.carrier(p)})


def station_things(p: SimpleNamespace, seat: int = 1) -> list[Thing]:
    """The assembled station."""
    ring = Pos(0, p.station.button_y_mm, p.station.height_mm) * station.guard(p, seat)
    printed = {"station-shell": station.shell(p), "station-plate": station.plate(p), "guard-ring": ring}
    made = {
        "button": bought.arcade_button(p),
        "bar": bought.bar(p),
        "station socket": bought.station_socket(p),
        "ring screws": bought.ring_screw_heads(p),
    }
    return _things(printed, made)


def stand_things(p: SimpleNamespace) -> list[Thing]:
    """The second display on its stand."""
    printed = {"display-stand": stand.stand(p), "console-hood": hood.hood(p)}
    return _things(printed, {"display": bought.display(p), "pane": bought.pane(p)})


def pod_things(p: SimpleNamespace) -> list[Thing]:
    """The pod in its case."""
    made = {f"breadboard {name}": solid for name, solid in zip("ABC", pod.breadboards(p), strict=False)}
    made |= {"pico": pod.pico(p), "wires": pod.wires(p)}
    return _things({"pod-tray": pod.tray(p), "pod-lid": pod.lid(p)}, made)


def _things(printed: dict[str, Any], made: dict[str, Any]) -> list[Thing]:
    return [Thing(name, solid, name in printed) for name, solid in (printed | made).items()]


def prints(p: SimpleNamespace) -> dict[str, Any]:
    """Every printed part as it is placed on the bed, lowest point at z = 0."""
    parts = {
        "console-base": console.base(p),
        "console-lid": Rot(180 - p.console.slope_deg, 0, 0) * lid.lid(p),
        "console-hood": Rot(180 - p.display.tilt_deg, 0, 0) * hood.hood(p),
        "knob": Rot(180, 0, 0) * console.knob(p),
        "clamp": Rot(0, 90, 0) * clamp.bracket(p),
        "zero-mount": console.zero_mount(p),
        "display-stand": stand.stand(p),
        "pod-tray": pod.tray(p),
        "pod-lid": Rot(180, 0, 0) * pod.lid(p),
    }
    return {name: _on_bed(solid) for name, solid in parts.items()} | station_prints(p)


def station_prints(p: SimpleNamespace) -> dict[str, Any]:
    """The station's printed parts only, placed on the bed."""
    parts = {"station-plate": station.plate(p), "station-shell": Rot(180, 0, 0) * station.shell(p)}
    parts |= {f"guard-ring-{seat}": station.guard(p, seat) for seat in range(1, 9)}
    return {name: _on_bed(solid) for name, solid in parts.items()}


def _on_bed(solid: Any) -> Any:
    box = solid.bounding_box()
    return Pos(-box.center().X, -box.center().Y, -box.min.Z) * solid
