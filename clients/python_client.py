"""The official Python SDK's client against a running Crewroom.

    python python_client.py <address of /mcp> <room> <mode: auto | legacy> <token> <token>

Prints one line of JSON for each check: {"name", "ok", "reason"}.
"""

import asyncio
import json
import sys
import traceback
from contextlib import asynccontextmanager

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


async def check(name, work):
    try:
        await work
        line = {"name": name, "ok": True}
    except BaseException as error:  # an exception group is none of Exception
        line = {"name": name, "ok": False, "reason": "".join(traceback.format_exception_only(error)).strip()}
    print(json.dumps(line), flush=True)


@asynccontextmanager
async def connect(url, token, mode):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


async def main(url, room, mode, first, second):
    async with connect(url, first, mode) as ann, connect(url, second, mode) as ben:
        await check(f"speaks {REVISIONS[mode]}", speaks(ann, REVISIONS[mode]))
        await check("lists tools, prompts and resources", lists(ann, room))
        await check("posts, and the other one reads it", posts(ann, ben))
        await check("two claim at the same time: one wins", claims(ann, ben))
        await check("hears what is new once", hears(ben))
        await check("a refusal begins with its code", refuses(ann))
        await check("an unknown tool is an error of the protocol", unknown(ann))
    await check("a wrong token does not get in", wrong(url, mode))


async def speaks(client, revision):
    assert client.protocol_version == revision, client.protocol_version
    assert client.server_info.name == "crewroom"
    assert "claim_task" in client.instructions


async def lists(client, room):
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"post_message", "claim_task", "whats_new"} <= names, names
    assert "board" in {prompt.name for prompt in (await client.list_prompts()).prompts}
    uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
    assert uris == [f"crewroom://rooms/{room}"], uris
    assert (await client.read_resource(uris[0])).contents[0].text
    assert (await client.get_prompt("board")).messages


async def posts(ann, ben):
    posted = await call(ann, "post_message", body="the greenhouse door is open")
    read = await call(ben, "read_messages")
    assert [(message["id"], message["body"]) for message in read["messages"]] == [
        (posted["message_id"], "the greenhouse door is open")
    ], read


async def claims(ann, ben):
    task = (await call(ann, "create_task", title="Close the door"))["created"]["id"]
    answers = await asyncio.gather(*(call(client, "claim_task", task_id=task) for client in (ann, ben)))
    assert sorted(answer["claimed"] for answer in answers) == [False, True], answers
    won = next(answer for answer in answers if answer["claimed"])
    lost = next(answer for answer in answers if not answer["claimed"])
    assert lost["holder"] == won["task"]["assignee"], lost


async def hears(ben):
    kinds = [event["kind"] for event in (await call(ben, "whats_new"))["events"]]
    assert {"message", "task_created"} <= set(kinds), kinds
    assert (await call(ben, "whats_new"))["events"] == []


async def refuses(ann):
    result = await ann.call_tool("get_task", {"task_id": 999})
    assert result.is_error and result.content[0].text.startswith("task_not_found: "), result


async def unknown(ann):
    try:
        await ann.call_tool("no_such_tool", {})
    except MCPError as error:
        assert error.error.code == -32602, error
    else:
        raise AssertionError("it was answered")


async def wrong(url, mode):
    try:
        async with connect(url, "crw_agt_000000000000000000000000000000000000", mode):
            pass
    except* MCPError:
        pass  # the SDK tells that there was an error, not which
    else:
        raise AssertionError("it was let in")


asyncio.run(main(*sys.argv[1:]))
