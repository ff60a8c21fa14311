"""Sends the requests that schemathesis makes from the OpenAPI document of a gateway, and checks the answers against it.

usage: openapi_requests.py URL KEY REQUESTS

Ends when REQUESTS were sent, with their number, or with status 1 if an answer is not as the document says. The requests
follow from the seeds 1, 2 and so on, of about 2,000 requests each.
"""

import collections
import itertools
import json
import pathlib
import re
import sys
import tempfile
import urllib.request

import schemathesis
from schemathesis.cli import schemathesis as command

# All checks are on. Valid data may be answered with 422, if its Idempotency-Key belongs to an earlier request. It may be
# answered with 400 where the model or the mode of a pod has no such setting, and where the password of a log-in is wrong.
CONFIGURATION = """
cache = {{ enabled = false }}
warnings = false

[auth.openapi]
apiKey = {{ api_key = "{key}" }}

[dictionaries]
pods = {{ values = {pods} }}
purifiers = {{ values = {purifiers} }}
fields = {{ values = ["*", "id", "id,acState,device", "time,temperature"] }}

[parameters]
"path.pod" = {{ dictionary = "pods", probability = 0.9 }}
"query.fields" = {{ dictionary = "fields", probability = 0.5 }}

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "422"]

[[operations]]
include-method-regex = "POST|PUT|PATCH|DELETE"
exclude-operation-id = ["calibrate", "enableSchedule", "deleteTimer", "deleteSchedule"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "422"]

[[operations]]
include-operation-id = "setPureBoost"
parameters = {{ "path.pod" = {{ dictionary = "purifiers", probability = 0.8 }} }}
"""

counter = itertools.count()
answers = collections.Counter()


@schemathesis.deserializer("text/html")
def page(context, response):
    return response.content.decode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Accepts JSON in every second request. Removes most keys: schemathesis sends one key with many requests."""
    number = next(counter)
    if number % 2:
        case.headers["Accept"] = "application/json"
    if number % 8 and re.fullmatch("[!-~]{1,255}", case.headers.get("Idempotency-Key", "")):
        del case.headers["Idempotency-Key"]


@schemathesis.hook
def after_call(context, case, response):
    answers[case.operation.label, response.status_code] += 1


def main():
    url, key, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with urllib.request.urlopen(f"{url}api/v2/users/me/pods?fields=*&apiKey={key}") as answer:
        # One pod of each kind.
        kinds = {(pod["productModel"], str(pod["remoteCapabilities"])): pod["id"] for pod in json.load(answer)["result"]}
    pods = json.dumps(list(kinds.values()))
    purifiers = json.dumps([pod for (model, _), pod in kinds.items() if model == "pure"])
    with tempfile.TemporaryDirectory() as folder:
        configuration = pathlib.Path(folder, "schemathesis.toml")
        configuration.write_text(CONFIGURATION.format(key=key, pods=pods, purifiers=purifiers))
        # With several threads, ast.parse of Python 3.11 fails: its recursion depth is not that of one thread.
        options = ["--workers", "1", "--generation-database", "none", "--continue-on-failure", "--no-color"]
        options += ["--max-examples", str(max(1, min(20, wanted // 160)))]
        for seed in itertools.count(1):
            words = ["--config-file", str(configuration), "run", f"{url}openapi.json", "--seed", str(seed), *options]
            try:
                command(words)
            except SystemExit as end:
                assert not end.code, f"seed {seed}: status {end.code}"
            print(f"{answers.total()} requests up to seed {seed}", flush=True)
            if answers.total() >= wanted:
                break
    # An operation that never succeeds was not tested. The document has no password for the log-in.
    refused = {label for label, _ in answers} - {label for label, status in answers if status == 200}
    assert refused == {"POST /o/token"}, refused
    print(f"all {answers.total()} answers are as described")


main()
