"""Run by an interpreter that has the official SDK: `mcp_sdk_session.py HALO WORK`. Talks to `halo mcp` as an SDK client does and
prints one JSON object: what was done, and what went wrong. mcp-conform reads it."""
import asyncio
import json
import sys
import time

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

HALO, WORK = sys.argv[1:3]
PROGRAM = "dump"
CALLS = [
    ("open", {"path": PROGRAM}), ("list", {}), ("list", {"path": PROGRAM, "rows": "files"}), ("info", {"program": PROGRAM}),
    ("info", {"program": PROGRAM, "rows": "parameters"}), ("memory", {"program": PROGRAM, "by": "source"}),
    ("memory", {"program": PROGRAM, "rows": "values"}), ("time", {"program": PROGRAM}),
    ("time", {"program": PROGRAM, "rows": "scopes"}), ("diff", {"before": PROGRAM, "after": "tiny.hlo"}),
    ("check", {"program": "broken.hlo"}), ("search", {"program": PROGRAM, "query": "dot"}),
    ("value", {"program": "tiny.hlo", "instruction": "r"}), ("neighbourhood", {"program": "tiny.hlo", "instruction": "r"}),
    ("text", {"program": "tiny.hlo", "from": 1}), ("advice", {"program": PROGRAM}),
    ("run", {"program": "tiny.hlo", "engine": "reference"}),
    ("compare", {"program": "tiny.hlo", "engine": "reference", "devices": 2}),
]


def field(value, *names):
    """The SDK's versions spell members differently."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise AttributeError(names[0])


async def converse(session, said):
    begun = await asyncio.wait_for(session.initialize(), 15)
    said["version"] = field(begun, "protocolVersion", "protocol_version")
    tools = (await session.list_tools()).tools
    schemas = {tool.name: field(tool, "outputSchema", "output_schema") for tool in tools}
    inputs = {tool.name: field(tool, "inputSchema", "input_schema") for tool in tools}
    for schema in [*schemas.values(), *inputs.values()]:
        jsonschema.Draft202012Validator.check_schema(schema)
    said["tools"] = sorted(schemas)
    for tool, arguments in CALLS:
        jsonschema.validate(arguments, inputs[tool])
        result = await session.call_tool(tool, arguments)  # validates the result by its schema as well
        content = field(result, "structuredContent", "structured_content")
        if field(result, "isError", "is_error"):
            said["problems"].append(f"{tool} {arguments}: {result.content[0].text[:200]}")
            continue
        jsonschema.validate(content, schemas[tool])
        said["valid"].append(tool)
        said["conclusions"][tool] = content["conclusion"]
        if not result.content[0].text.startswith(content["conclusion"]):
            said["problems"].append(f"{tool}: the text does not begin with the conclusion")
    refused = await session.call_tool("value", {"program": "tiny.hlo", "instruction": "absent"})
    said["refused"] = bool(field(refused, "isError", "is_error")) and "instead:" in refused.content[0].text
    said["prompts"] = [each.name for each in (await session.list_prompts()).prompts]
    prompt = await session.get_prompt("does_it_fit", {"program": PROGRAM})
    said["prompt"] = PROGRAM in prompt.messages[0].content.text
    resources = (await session.list_resources()).resources
    said["resources"] = len(resources)
    read = await session.read_resource(next(each.uri for each in resources if "/memory/dump" in str(each.uri)))
    said["resource"] = len(read.contents[0].text) > 50


async def long_call(session, said):
    """A call that takes long reports progress, and is gone at once when it is cancelled."""
    reports = []

    async def on_progress(progress, total, message):
        del total
        reports.append((progress, message))

    task = asyncio.create_task(session.call_tool("advice", {"program": "large.hlo", "about": "memory", "thorough": True},
                                                 progress_callback=on_progress))
    begin = time.monotonic()
    while len(reports) < 3 and not task.done() and time.monotonic() - begin < 60:
        await asyncio.sleep(0.05)
    said["progress"] = len(reports)
    said["progress_grows"] = all(a[0] < b[0] for a, b in zip(reports, reports[1:]))
    said["ended_before_cancelled"] = task.done()


async def main():
    said = {"problems": [], "valid": [], "conclusions": {}}
    server = StdioServerParameters(command=HALO, args=["mcp", "--root", WORK, "--allow-run"])
    try:
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                await asyncio.wait_for(converse(session, said), 60)
                await asyncio.wait_for(long_call(session, said), 60)
    except BaseException as error:  # noqa: BLE001: the row prints it
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        said["problems"].append(f"{type(error).__name__}: {error}"[:500])
    print(json.dumps(said))


asyncio.run(main())
