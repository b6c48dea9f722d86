"""Reads KiCad's files, nested lists in round brackets, into Python lists of strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')

Node = list[Any]
"""[name, ...]: strings and further nodes."""


def parse(text: str) -> Node:
    """Parse the one list in the text. Raises ValueError if brackets do not match."""
    stack: list[Node] = [[]]
    for match in _TOKEN.finditer(text):
        quoted, bracket, word = match.groups()
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            if len(stack) < 2:
                raise ValueError("a closing bracket too many")
            node = stack.pop()
            stack[-1].append(node)
        else:
            stack[-1].append(quoted.replace('\\"', '"') if quoted is not None else word)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError("brackets do not match")
    top = stack[0][0]
    assert isinstance(top, list)
    return top


def children(node: Node, name: str) -> Iterator[Node]:
    """The lists of that name directly inside."""
    return (child for child in node if isinstance(child, list) and child and child[0] == name)


def child(node: Node, name: str) -> Node:
    """The first list of that name directly inside. Raises KeyError."""
    for found in children(node, name):
        return found
    raise KeyError(name)
