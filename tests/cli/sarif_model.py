# SPDX-License-Identifier: Apache-2.0
"""A JSON schema of SARIF 2.1.0, made from the object model that Debian ships as
golang-github-haya14busa-go-sarif-dev: Go structures generated from the public schema. Every object has the
properties of its structure and no others; those without `omitempty` are required."""
import os
import re

MODEL = '/usr/share/gocode/src/github.com/haya14busa/go-sarif/sarif/sarif.go'
STRUCT = re.compile(r'^type (\w+) struct \{\n(.*?)^\}', re.M | re.S)
FIELD = re.compile(r'^\t\w+\s+(\S+)\s+`json:"([^",]+)(,omitempty)?"`', re.M)
WORDS = re.compile(r'^type (\w+) string\nconst \(\n(.*?)^\)', re.M | re.S)
PLAIN = {'string': {'type': 'string'}, 'bool': {'type': 'boolean'}, 'int64': {'type': 'integer'},
         'float64': {'type': 'number'}}


def type_schema(go):
    if go.startswith('*'):
        return type_schema(go[1:])
    if go.startswith('[]'):
        return {'type': 'array', 'items': type_schema(go[2:])}
    if go.startswith('map[string]'):
        return {'type': 'object', 'additionalProperties': type_schema(go[len('map[string]'):])}
    return PLAIN.get(go) or {'$ref': '#/definitions/' + go}


def schema():
    """None when the package is not installed."""
    if not os.path.exists(MODEL):
        return None
    with open(MODEL, encoding='utf-8') as f:
        text = f.read()
    definitions = {}
    for name, words in WORDS.findall(text):
        definitions[name] = {'enum': re.findall(r'= "([^"]*)"', words)}
    for name, body in STRUCT.findall(text):
        fields = FIELD.findall(body)
        definitions[name] = {
            'type': 'object',
            'properties': {key: type_schema(go) for go, key, _ in fields},
            'required': [key for _, key, optional in fields if not optional],
            'additionalProperties': name == 'PropertyBag',
        }
    return {'$schema': 'http://json-schema.org/draft-07/schema#', '$ref': '#/definitions/Sarif',
            'definitions': definitions}
