"""Conditionals in graphs that run as they are: the chosen arm is called, and nothing is traced."""

from __future__ import annotations

import timeit

import graphmend
import pytest
import torch


@pytest.fixture(autouse=True)
def _clean():
    torch._dynamo.reset()
    yield
    graphmend.uninstall()
    torch._dynamo.reset()


def branching(x, w):
    y = x * w
    if y.sum() > 3:
        y = y / y.norm() * 3
        if y.sum() > 5:
            y = y.exp()
    else:
        y = y.sin()
    return y.sum()


def with_its_own(x, w):
    y = torch.cond(x.sum() > 0, lambda x, w: x * w, lambda x, w: x - w, (x, w))
    if y.sum() > 3:
        y = y / y.norm() * 3
    return y.sum()


def step(function, x):
    w = torch.ones(4, requires_grad=True)
    loss = function(x, w)
    loss.backward()
    return loss.item(), w.grad.tolist()


@pytest.mark.parametrize("function", [branching, with_its_own])
def test_values_and_gradients(function):
    seen = []

    def as_it_is(graph, inputs):
        seen.append(graph)
        return graph.forward

    compiled = graphmend.compile(function, backend=as_it_is, fullgraph=True)
    for value in (1.0, 2.0, 9.0, -1.0):
        x = torch.full((4,), value)
        assert step(compiled, x) == step(function, x)
    (graph,) = seen
    targets = [
        node.target
        for module in graph.modules()
        if isinstance(module, torch.fx.GraphModule)
        for node in module.graph.nodes
    ]
    own = function is with_its_own
    assert targets.count(torch.ops.higher_order.cond) == own, "only one that the user wrote"
    assert sum(getattr(target, "__name__", "") == "pick" for target in targets) == 2 - own


def test_a_call_that_records_gradients_costs_what_it_did():
    x, w = torch.ones(4), torch.ones(4, requires_grad=True)
    plain = torch.compile(lambda x, w: branching(x, w), backend="eager")
    compiled = graphmend.compile(branching, backend="eager", fullgraph=True)
    spent = []
    for function in (plain, compiled):
        function(x, w).backward()
        spent.append(min(timeit.repeat(lambda f=function: f(x, w), number=20, repeat=7)))
    assert spent[1] < 4 * spent[0]
