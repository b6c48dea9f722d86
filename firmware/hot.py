"""The loops over words, items and bytes, compiled by MicroPython: they allocate nothing.

Tests run the same text as plain Python. So numbers stay below 2**30 or are masked, and arguments are arrays of the
width that the annotation names. A state machine's word is a level of eight pins and 24 bits of a counter that runs
down. An item is two words: the tick within its round, with contact, level and gap above it; and the round.
"""

import micropython
from micropython import const

ROOM = const(512)  # items per contact, a power of two: some 20 presses that bounce 13 times each way
WINDOW = const(128)  # items sent and not yet confirmed, a power of two
ROUND = const(16777216)  # ticks: 24 bits
MARGIN = const(262144)  # ticks, 15 ms: words may be this much newer than the clock's reading before they were fetched
CONTACTS = const(8)

# Indices of the state's array; a line each, so that the compiler knows them as constants
CLOSED = const(0)  # bits
WIRED = const(1)  # bits
NOW_TICK = const(2)
NOW_ROUND = const(3)
UNSURE = const(4)  # 1: these words may be rounds older than they seem
LOST = const(5)  # changes lost for lack of room, or in the ring
NUMBER = const(6)  # of the window's oldest item
SENT = const(7)  # items in the window
BEFORE = const(8)  # closed before the window's oldest item, bits
TURN = const(9)  # the contact whose item is next
CHANGED = const(10)  # 1: a scan found a change
HELD = const(11)  # items in all stores
FIRST = const(16)  # one per contact, like the next two: the start of its store
COUNT = const(24)  # number of its items
GAP = const(32)  # 1: some were lost before the next item
STATE = const(40)


@micropython.viper
def copy(source: ptr32, begin: int, target: ptr32, count: int):
    """Copy `count` words from there on."""
    n = 0
    while n < count:
        target[n] = source[begin + n]
        n += 1


@micropython.viper
def join(source: ptr32, begin: int, target: ptr32, span: int):
    """Copy the rest past a ring's end: target[low:high] from the ring's start.

    span: low << 16 | high.
    """
    at = span >> 16
    high = span & 0xFFFF
    while at < high:
        target[at] = source[begin]
        begin += 1
        at += 1


@micropython.viper
def scan(state: ptr32, words: ptr32, store: ptr32, count: int):
    """Turn the state machine's words, oldest first, into items of the contacts' stores.

    A full store keeps its items; the next item that has room is marked that some are missing.
    """
    n = 0
    closed = state[CLOSED]
    latest = state[NOW_TICK] + MARGIN
    while n < count:
        word = words[n]
        n += 1
        level = (((word >> 24) & 255) ^ 255) & state[WIRED]
        changed = level ^ closed
        closed = level
        if changed:
            tick = 0xFFFFFF - (word & 0xFFFFFF)
            turn = state[NOW_ROUND]
            if tick > latest:
                turn -= 1
            elif tick <= latest - ROUND:
                turn += 1
            if turn < 0:
                turn = 0  # of the first moment
            state[CHANGED] = 1
            contact = 0
            while changed:
                if changed & 1:
                    held = state[COUNT + contact]
                    if held < ROOM:
                        at = ((contact * ROOM) | ((state[FIRST + contact] + held) & (ROOM - 1))) << 1
                        flags = contact | (((level >> contact) & 1) << 3) | ((state[GAP + contact] | state[UNSURE]) << 4)
                        store[at] = tick | (flags << 24)
                        store[at + 1] = turn
                        state[COUNT + contact] = held + 1
                        state[HELD] += 1
                        state[GAP + contact] = 0
                    else:
                        state[GAP + contact] = 1
                        state[LOST] += 1
                changed >>= 1
                contact += 1
    state[CLOSED] = closed


@micropython.viper
def gather(state: ptr32, store: ptr32, window: ptr32, most: int) -> int:
    """Move up to `most` items from the stores into the window, one per contact in turn.

    Return their number.

    So the first edge of a contact waits for seven items at most, however much the others have bounced before it.
    """
    moved = 0
    idle = 0
    contact = state[TURN]
    while idle < CONTACTS:
        if moved >= most:
            break
        if state[SENT] >= WINDOW:
            break
        held = state[COUNT + contact]
        if held:
            begin = state[FIRST + contact]
            at = ((contact * ROOM) | begin) << 1
            to = ((state[NUMBER] + state[SENT]) & (WINDOW - 1)) << 1
            window[to] = store[at]
            window[to + 1] = store[at + 1]
            state[FIRST + contact] = (begin + 1) & (ROOM - 1)
            state[COUNT + contact] = held - 1
            state[HELD] -= 1
            state[SENT] += 1
            moved += 1
            idle = 0
        else:
            idle += 1
        contact = (contact + 1) & (CONTACTS - 1)
    state[TURN] = contact
    return moved


@micropython.viper
def drop(state: ptr32, window: ptr32, count: int):
    """Remove the window's oldest items as confirmed.

    BEFORE becomes the contacts closed after them.
    """
    number = state[NUMBER]
    before = state[BEFORE]
    n = 0
    while n < count:
        flags = (window[((number + n) & (WINDOW - 1)) << 1] >> 24) & 31
        contact = flags & 7
        before = (before & (255 ^ (1 << contact))) | (((flags >> 3) & 1) << contact)
        n += 1
    state[BEFORE] = before
    state[NUMBER] = (number + count) & 0xFFFF
    state[SENT] -= count


@micropython.viper
def put_items(window: ptr32, body: ptr8, begin: int, count: int) -> int:
    """Write items of the window, from number `begin` on, after a report's kind and number.

    A round of four bytes comes first. Each item has its tick and its flags with how many rounds later it is. Return the
    number of items; one that is more than three rounds off ends the report.
    """
    base = window[((begin & (WINDOW - 1)) << 1) + 1] - 1
    if base < 0:
        base = 0
    at = 3
    n = 0
    while n < 4:
        body[at] = (base >> (n << 3)) & 255
        at += 1
        n += 1
    n = 0
    while n < count:
        half = ((begin + n) & (WINDOW - 1)) << 1
        later = window[half + 1] - base
        if later < 0:
            return n
        if later > 3:
            return n
        word = window[half] | (later << 29)
        body[at] = word & 255
        body[at + 1] = (word >> 8) & 255
        body[at + 2] = (word >> 16) & 255
        body[at + 3] = (word >> 24) & 255
        at += 4
        n += 1
    return n


@micropython.viper
def put_number(body: ptr8, at: int, number: int, size: int):
    """Write a number's bytes, least significant first."""
    while size:
        body[at] = number & 255
        number >>= 8
        at += 1
        size -= 1


@micropython.viper
def put_ticks(body: ptr8, at: int, tick: int, turn: int):
    """Write an instant's seven bytes: the tick within its round, the round."""
    n = 0
    while n < 3:
        body[at + n] = (tick >> (n << 3)) & 255
        n += 1
    n = 0
    while n < 4:
        body[at + 3 + n] = (turn >> (n << 3)) & 255
        n += 1


@micropython.viper
def unescape(state: ptr32, raw: ptr8, body: ptr8, count: int):
    """Append a frame's bytes, none of them a flag, to body.

    state: the number of bytes in body, 32 after an escape, and whether there were more bytes than fit (320).
    """
    filled = state[0]
    n = 0
    while n < count:
        byte = raw[n]
        n += 1
        if byte == 0x7D:
            state[1] = 0x20
        elif filled < 320:
            body[filled] = byte ^ state[1]
            state[1] = 0
            filled += 1
        else:
            state[2] = 1
    state[0] = filled


@micropython.viper
def seal(table: ptr32, body: ptr8, out: ptr8, size: int) -> int:
    """Make the frame of body[:size]: flags, escapes and CRC.

    It uses four bytes after the body. Return its length.
    """
    crc = -1
    n = 0
    while n < size:
        crc = table[(crc ^ body[n]) & 255] ^ ((crc >> 8) & 0xFFFFFF)
        n += 1
    n = 0
    while n < 4:
        body[size + n] = ((crc >> (n << 3)) & 255) ^ 255
        n += 1
    out[0] = 0x7E
    at = 1
    n = 0
    size += 4
    while n < size:
        byte = body[n]
        n += 1
        escaped = 0
        if byte == 0x7E:
            escaped = 1
        if byte == 0x7D:
            escaped = 1
        if byte == 3:
            escaped = 1
        if escaped:
            out[at] = 0x7D
            at += 1
            byte ^= 0x20
        out[at] = byte
        at += 1
    out[at] = 0x7E
    return at + 1


@micropython.viper
def whole(table: ptr32, body: ptr8, size: int) -> int:
    """Whether the last four bytes are the CRC of those before them."""
    crc = -1
    n = 0
    size -= 4
    while n < size:
        crc = table[(crc ^ body[n]) & 255] ^ ((crc >> 8) & 0xFFFFFF)
        n += 1
    n = 0
    while n < 4:
        if body[size + n] != ((crc >> (n << 3)) & 255) ^ 255:
            return 0
        n += 1
    return 1
