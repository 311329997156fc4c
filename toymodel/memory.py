"""How the process gets its memory: what matters for a large model."""

import ctypes
import ctypes.util
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
LARGEST = 2**31 - 1


def keep_freed_memory() -> None:
    """Let blocks that were freed be used again, instead of going back to the system.

    glibc maps every block above 32 MB anew, and each of its pages costs a fault when it is first
    touched: for the large matrices of one forward pass, up to as much time as the arithmetic on
    them. Does nothing where the C library is another one.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(M_MMAP_THRESHOLD, LARGEST)
        library.mallopt(M_TRIM_THRESHOLD, LARGEST)
