"""Our field table against real dumps, with Python's protobuf: fields_vs_dumps.py FOLDER...

Builds message types from halo/proto/wire/fields.def, parses every .hlo.pb[.gz] below the folders with
them, and looks for fields that are in the dumps but not in the table. Those the reader leaves alone
on purpose are listed here. With jaxlib, its own serialisation is parsed too, and what our types write
back must load and print alike: a wrong number or type in the table would show.
"""
import gzip
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "halo" / "proto" / "fields.def"

# Kept as they stand (ProtoReadResult::kept_fields) or without a meaning for a Module.
LEFT_ALONE = {
    "HloModuleProto": {10, 11, 12, 13, 14, 16, 20, 21, 23, 24},
    "OpMetadata": {8, 9, 10, 13},
    "OpSharding": {2},
    "HloInstructionProto": {101},  # an empty message on convolutions of libtpu 0.0.51
}

ROW = re.compile(r"HALO_(MESSAGE|FIELD)\(([^)]*)\)")


def messages():
    """{message: [(name, number, many, type, target)]}"""
    table, fields = {}, None
    for kind, arguments in ROW.findall(re.sub(r"//.*", "", TABLE.read_text())):
        parts = [part.strip() for part in arguments.split(",")]
        if kind == "MESSAGE":
            fields = table.setdefault(parts[0], [])
        else:
            name, number, count, type_, target = parts
            fields.append((name, int(number), count == "Many", type_, target))
    return table


def message_classes():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    # proto2 keeps zeros that were written, which matters inside a oneof.
    file = descriptor_pb2.FileDescriptorProto(name="halo.proto", package="halo", syntax="proto2")
    field_type = descriptor_pb2.FieldDescriptorProto
    for name, fields in messages().items():
        message = file.message_type.add(name=name)
        for field, number, many, type_, target in fields:
            row = message.field.add(name=field, number=number)
            row.label = field_type.LABEL_REPEATED if many else field_type.LABEL_OPTIONAL
            row.type = getattr(field_type, "TYPE_BYTES" if type_ == "String" else "TYPE_" + type_.upper())
            if many and type_ not in ("Message", "String", "Bytes"):
                row.options.packed = True
            if type_ == "Message":
                row.type_name = ".halo." + target
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName("halo." + name))
            for name in messages()}


def unknown_fields(message, found):
    from google.protobuf import unknown_fields as unknown
    name = message.DESCRIPTOR.name
    for field in unknown.UnknownFieldSet(message):
        if field.field_number not in LEFT_ALONE.get(name, ()):
            found.setdefault((name, field.field_number), 0)
            found[(name, field.field_number)] += 1
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for inner in [value] if hasattr(value, "ListFields") else value:
            unknown_fields(inner, found)


def read(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def check_jaxlib(classes, found, texts):
    try:
        from jaxlib import _hlo
    except ImportError:
        print("no jaxlib here: its serialisation was not compared")
        return True
    good = True
    for path in texts:
        try:
            module = _hlo.hlo_module_from_text(path.read_text(errors="surrogateescape"))
        except Exception:  # pylint: disable=broad-except
            continue
        parsed = classes["HloModuleProto"].FromString(module.as_serialized_hlo_module_proto())
        unknown_fields(parsed, found)
        back = _hlo.HloModule.from_serialized_hlo_module_proto(parsed.SerializeToString())
        direct = _hlo.HloModule.from_serialized_hlo_module_proto(module.as_serialized_hlo_module_proto())
        if back.to_string() != direct.to_string():
            print(f"  our types change {path}")
            good = False
    return good


def main(folders):
    try:
        import google.protobuf  # noqa: F401 pylint: disable=unused-import,import-outside-toplevel
    except ImportError:
        print("no protobuf here: the table was not compared")
        return 0
    classes = message_classes()
    found, count = {}, 0
    for folder in map(pathlib.Path, folders):
        for path in sorted(folder.rglob("*.hlo.pb*")):
            unknown_fields(classes["HloProto"].FromString(read(path)), found)
            count += 1
    texts = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*optimizations.txt"))]
    good = check_jaxlib(classes, found, texts)
    for (message, number), times in sorted(found.items()):
        print(f"  {message} field {number}: {times} times, not in the table")
    print(f"{count} dumps: " + ("every field is known" if not found else f"{len(found)} unknown fields"))
    return 0 if good and not found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
