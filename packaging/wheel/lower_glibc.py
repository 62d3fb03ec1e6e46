#!/usr/bin/env python3
"""Makes a shared library of the system's load with an older glibc, in place.

    packaging/wheel/lower_glibc.py 2.28 libspng.so.0

For libraries that Debian does not have in static form, where packaging/wheel/glibc_stubs.py cannot
help. A function of a newer version loses its version: the loader then takes the default one of the
glibc that it finds. glibc keeps the interface of a function from version to version, and changes only
its behavior in rare cases (pow() of 2.29 does not call matherr). Ends with an error if a function did
not exist in the older glibc at all.
"""

import struct
import subprocess
import sys

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
NEEDED = struct.Struct("<HHIII")  # Elf64_Verneed
VERSION = struct.Struct("<IHHII")  # Elf64_Vernaux: hash, flags, other, name, next
SYMBOL = struct.Struct("<IBBHQQ")
SHT_DYNSYM, SHT_VERNEED, SHT_VERSYM = 11, 0x6FFFFFFE, 0x6FFFFFFF
GLOBAL = 1  # The number of a symbol without a version.


def number(version):
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def lower(path, newest):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    header = HEADER.unpack_from(data)
    if header[0][:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{path} is not a 64-bit ELF file")
    sections = [SECTION.unpack_from(data, header[6] + i * header[11]) for i in range(header[12])]
    by_type = {section[1]: section for section in sections}
    strings = sections[by_type[SHT_VERNEED][6]]

    def text(offset):
        start = strings[4] + offset
        return data[start : data.index(0, start)].decode()

    glibc, at = [], by_type[SHT_VERNEED][4]
    while True:
        _, count, _, first, following = NEEDED.unpack_from(data, at)
        place = at + first
        for _ in range(count):
            entry = VERSION.unpack_from(data, place)
            if text(entry[3]).startswith("GLIBC_2"):
                glibc.append((place, *entry))
            place += entry[4]
        if not following:
            break
        at += following
    # Each version that is too new takes the name of the oldest, which every glibc has.
    _, old_hash, _, _, old_name, _ = min(glibc, key=lambda entry: number(text(entry[4])))
    too_new = set()
    for place, _, flags, other, name, step in glibc:
        if number(text(name)) > newest:
            too_new.add(other)
            VERSION.pack_into(data, place, old_hash, flags, other, old_name, step)

    symbols, versions = by_type[SHT_DYNSYM], by_type[SHT_VERSYM]
    names = []
    for i in range(versions[5] // 2):
        (version,) = struct.unpack_from("<H", data, versions[4] + 2 * i)
        if version in too_new:
            struct.pack_into("<H", data, versions[4] + 2 * i, GLOBAL)
            names.append(text(SYMBOL.unpack_from(data, symbols[4] + i * symbols[9])[0]))
    with open(path, "wb") as file:
        file.write(data)
    return names


def main():
    newest, path = number(sys.argv[1]), sys.argv[2]
    known = ""
    for library in ("libc.so.6", "libm.so.6"):
        real = subprocess.run(["gcc", f"-print-file-name={library}"], capture_output=True, text=True)
        known += subprocess.run(["readelf", "-W", "--dyn-syms", real.stdout.strip()],
                                capture_output=True, text=True, check=True).stdout  # fmt: skip
    for name in lower(path, newest):
        versions = [part.split()[0] for part in known.split(f" {name}@GLIBC_")[1:]]
        if not any(number(version) <= newest for version in versions):
            sys.exit(f"{path} needs {name}, which glibc {sys.argv[1]} does not have")
        print(f"{path}: any version of {name}")


if __name__ == "__main__":
    main()
