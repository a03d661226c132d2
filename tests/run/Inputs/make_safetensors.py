"""Writes a safetensors file with in_0 and weight; with a second argument one whose header lies."""
import json
import struct
import sys

end = 12 if len(sys.argv) > 2 else 16
header = json.dumps({"in_0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                     "weight": {"dtype": "F32", "shape": [2], "data_offsets": [8, end]}}).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + struct.pack("<4f", 1, 2, 10, 20))
