#!/usr/bin/env python3
"""Makes libraries to link against, so that a program also runs with an older glibc.

    packaging/wheel/glibc_stubs.py 2.28 build/glibc-2.28

glibc keeps every old version of its functions. A linker takes the newest, and the program then needs
that glibc. The stubs that this program writes have the same names, and of each function the newest
version up to the one given. They contain no code: at run time the real libraries are used.
"""

import pathlib
import re
import subprocess
import sys

LIBRARIES = ("libc.so.6", "libm.so.6")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def path_of(library):
    return output_of("gcc", f"-print-file-name={library}").strip()


def number(version):
    """GLIBC_2.28 -> (2, 28)"""
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def symbols(path, newest):
    """{name: (version, type, size, binding, address)} with the newest version that is old enough."""
    found = {}
    line = re.compile(r"\s*\d+: (\S+) +(\d+) (\w+) +(GLOBAL|WEAK) +DEFAULT +\d+ (\w+)@@?(GLIBC_[\d.]+)$")
    for match in map(line.match, output_of("readelf", "-W", "--dyn-syms", path).splitlines()):
        if not match:
            continue
        address, size, kind, binding, name, version = match.groups()
        if number(version) > newest or kind not in ("FUNC", "IFUNC", "OBJECT"):
            continue
        if name not in found or number(version) > number(found[name][0]):
            found[name] = (version, kind, int(size), binding, address)
    return found


def write_stub(library, newest, folder):
    found = symbols(path_of(library), newest)
    assembly = []
    versions = {}
    shared = {}  # Address -> the names of one variable.
    for place, (name, (version, kind, size, binding, address)) in enumerate(sorted(found.items())):
        versions.setdefault(version, []).append(name)
        label = f"stub{place}"
        head = [
            f".weak {label}" if binding == "WEAK" else f".globl {label}",
            f".type {label},{'@object' if kind == 'OBJECT' else '@function'}",
            f".size {label},{size if kind == 'OBJECT' else 1}",
            f".symver {label},{name}@@{version},remove",
        ]
        if kind == "OBJECT":
            shared.setdefault(address, []).append((label, size, head))
        else:
            assembly += [".text", *head, f"{label}: .zero 1"]
    # A program gets a copy of a variable that it uses, and the linker must know all of its names: `environ`
    # alone would be a copy that glibc, which sets `__environ`, never fills.
    for names in shared.values():
        assembly.append(".bss")
        for label, _, head in names:
            assembly += [*head, f"{label}:"]
        assembly.append(f".zero {max(1, *(size for _, size, _ in names))}")
    source, script = folder / f"{library}.s", folder / f"{library}.map"
    source.write_text("\n".join([*assembly, '.section .note.GNU-stack,"",@progbits', ""]))
    nodes, before = [], ""
    for version in sorted(versions, key=number):
        nodes.append(f"{version} {{ global: {'; '.join(versions[version])}; }}{before};")
        before = f" {version}"
    script.write_text("\n".join([*nodes, "LOCAL { local: *; };", ""]))
    output_of("gcc", "-shared", "-nostdlib", f"-Wl,-soname,{library},--version-script,{script}",
              "-o", str(folder / library), str(source))  # fmt: skip


def main():
    newest, folder = number(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for library in LIBRARIES:
        write_stub(library, newest, folder)
    # As the system's own: libc.so is a script that adds the part of glibc that is always static.
    (folder / "libc.so").write_text(
        f"GROUP ( {folder}/libc.so.6 {path_of('libc_nonshared.a')} "
        f"AS_NEEDED ( {path_of('ld-linux-x86-64.so.2')} ) )\n"
    )
    (folder / "libm.so").write_text(f"GROUP ( {folder}/libm.so.6 )\n")


if __name__ == "__main__":
    main()
