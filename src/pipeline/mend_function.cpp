#include "pipeline/mend_function.h"

#include "effects/function.h"
#include "pipeline/function_writer.h"
#include "syntax/parser.h"

#include <algorithm>
#include <map>
#include <utility>

#include <xxhash.h>

namespace graphmend::pipeline {
namespace {

using syntax::NodeId;
using syntax::NodeKind;

// The version of Python whose grammar sources are read by. The function runs already: the newest
// grammar reads all that its own interpreter accepts.
constexpr syntax::PythonVersion kVersion = syntax::kNewestVersion;

// What is wrong with the request, or nothing.
struct Problem {
  Status status;
  std::string message;
};

std::string place(const FunctionRequest& request, std::uint32_t line) {
  return request.path + ":" + std::to_string(line);
}

// The function of the request in a tree that holds one statement.
std::optional<Problem> find_function(const syntax::Tree& tree, const source::LineIndex& lines,
                                     const FunctionRequest& request, NodeId& function) {
  if (!tree.ok()) {
    const diag::Diagnostic& error = tree.errors().front();
    return Problem{Status::Error, place(request, lines.line(error.range.start)) + ": " +
                                      error.message + "; the source is not what is running"};
  }
  const auto body = syntax::ModuleView(tree, tree.root()).body();
  if (body.size() != 1 || tree.kind(body[0]) != NodeKind::FunctionDef ||
      syntax::FunctionDefView(tree, body[0]).name_text() != request.name) {
    return Problem{Status::Missing, place(request, request.line) + ": no function '" +
                                        request.name +
                                        "' starts here; the source is not what is running"};
  }
  function = body[0];
  return std::nullopt;
}

scope::ScopeTree build_scopes(const syntax::Tree& tree, const FunctionRequest& request) {
  std::vector<std::string_view> free_names(request.free_names.begin(), request.free_names.end());
  scope::BlockContext block;
  block.free_names = free_names;
  if (request.class_name) {
    block.class_name = *request.class_name;
  }
  return scope::build_block(tree, kVersion, block);
}

std::string site_id(const FunctionRequest& request, std::string_view function,
                    std::uint32_t offset) {
  const std::string key =
      request.path + '\0' + std::string(function) + '\0' + std::to_string(offset);
  const XXH64_hash_t hash = XXH3_64bits(key.data(), key.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (int shift = 60; shift >= 0; shift -= 4) {
    id += kDigits[(hash >> shift) & 0xF];
  }
  return id;
}

// What makes every rewrite of a function illegal, or nothing.
std::optional<mends::Decline> function_obligations(const types::FunctionContext& context) {
  const scope::Scope& scope = context.scopes().scope(context.function_scope());
  constexpr std::uint8_t kReadsNames =
      scope::kLocalsCall | scope::kExecCall | scope::kEvalCall | scope::kFrameAccess;
  if ((scope.barriers & kReadsNames) != 0) {
    return mends::Decline{
        "the function looks at its own variables (locals(), eval(), exec(), frames)",
        "move the statement to a function of its own", context.function()};
  }
  const syntax::Tree& tree = context.tree();
  if (tree.text(tree.range(context.function())).find("__gm_") != std::string_view::npos) {
    return mends::Decline{"the function uses names that begin like those of mended code",
                          "name them without '__gm_'", context.function()};
  }
  if (scope.is_async) {
    return mends::Decline{"the function is async, which is not traced",
                          "move the statement to a plain function", context.function()};
  }
  return std::nullopt;
}

class Mender {
 public:
  Mender(std::string_view source, const FunctionRequest& request,
         const types::FunctionContext& context, const source::LineIndex& lines)
      : source_(source),
        request_(request),
        context_(context),
        tree_(context.tree()),
        lines_(lines),
        constructs_(request.name == "__init__" || request.name == "__post_init__") {}

  MendedFunction run() {
    MendedFunction result;
    mends::CodeWriter original(tree_, lines_);
    original.copy_statement(context_.function());
    result.original = original.take();
    plan(result);
    if (!planned_.empty()) {
      result.status = Status::Mended;
      result.mended = FunctionWriter(context_, lines_, planned_).write();
    }
    return result;
  }

 private:
  // Statements of the function itself, inner ones after those around them.
  void plan(MendedFunction& result) {
    const std::optional<mends::Decline> whole = function_obligations(context_);
    const base::TextRange function = tree_.range_with_decorators(context_.function());
    for (std::uint32_t id = context_.function().value - 1;
         id >= tree_.subtree_begin(context_.function()).value; --id) {
      const NodeId statement(id);
      if (!tree_.is_statement(statement) ||
          context_.scopes().enclosing_scope(statement) != context_.function_scope()) {
        continue;
      }
      const auto finding = breaks::find_break(context_, statement);
      if (!finding || (finding->kind == breaks::Kind::TensorAssert && !request_.asserts) ||
          (finding->certainty == breaks::Certainty::Possible && constructs_)) {
        continue;
      }
      Site site = describe(*finding);
      site.id = site_id(request_, source_.substr(function.start, function.size()),
                        tree_.range(statement).start - function.start);
      mends::Planned planned;
      if (whole) {
        planned.decline = *whole;
      } else if (auto decline = statement_obligations(statement)) {
        planned.decline = *std::move(decline);
      } else {
        planned = mends::plan_mend(context_, *finding);
      }
      if (planned.plan != nullptr) {
        site.mend = planned.mend;
        site.outline = planned.plan->outline(context_, *finding, lines_);
        planned_[statement] = {*finding, site.id, static_cast<std::uint32_t>(planned_.size()),
                               std::move(planned.plan)};
      } else {
        site.reason = planned.decline.reason;
        site.advice = planned.decline.advice;
      }
      result.sites.push_back(std::move(site));
    }
    std::reverse(result.sites.begin(), result.sites.end());
  }

  // What makes every rewrite of one statement illegal, or nothing.
  [[nodiscard]] std::optional<mends::Decline> statement_obligations(NodeId statement) const {
    for (std::uint32_t id = tree_.subtree_begin(statement).value; id < statement.value; ++id) {
      const NodeKind kind = tree_.kind(NodeId(id));
      if (kind == NodeKind::Global || kind == NodeKind::Nonlocal) {
        return mends::Decline{"it holds a declaration, which must not be written twice",
                              "declare the name at the start of the function", NodeId(id)};
      }
    }
    return std::nullopt;
  }

  Site describe(const breaks::Finding& finding) const {
    const base::TextRange range = tree_.range(finding.statement);
    const NodeKind kind = tree_.kind(finding.statement);
    const base::TextRange shown =
        kind == NodeKind::If || kind == NodeKind::For
            ? base::TextRange{range.start, tree_.range(finding.subject).end}
            : range;
    const source::Position start = lines_.position(shown.start);
    const source::Position end = lines_.position(shown.end);
    Site site;
    site.kind = breaks::kind_name(finding.kind);
    site.gb = breaks::kind_gb(finding.kind);
    site.certainty = breaks::certainty_name(finding.certainty);
    site.line = start.line;
    site.column = start.column;
    site.end_line = end.line;
    site.end_column = end.column;
    site.last_line = lines_.line(range.end);
    return site;
  }

  std::string_view source_;
  const FunctionRequest& request_;
  const types::FunctionContext& context_;
  const syntax::Tree& tree_;
  const source::LineIndex& lines_;
  // The function sets up an object: its arguments are configuration unless they look like tensors.
  bool constructs_;
  std::map<NodeId, PlannedSite> planned_;
};

// Builds the stages of the request's function and hands them to `use`.
template <class Use>
std::optional<Problem> with_stages(const Source& source, const FunctionRequest& request,
                                   Use&& use) {
  const source::LineIndex& lines = source.lines();
  if (request.line == 0 || request.line > lines.line_count()) {
    return Problem{Status::Missing, place(request, request.line) +
                                        ": the source has fewer lines; it is not what is running"};
  }
  const syntax::Tree tree =
      syntax::parse_block(source.text(), lines.line_start(request.line), kVersion);
  NodeId function;
  if (auto problem = find_function(tree, lines, request, function)) {
    return problem;
  }
  const scope::ScopeTree scopes = build_scopes(tree, request);
  const flow::FunctionFlow flow = flow::build_flow(tree, scopes, function);
  const std::string_view class_name =
      request.class_name ? std::string_view(*request.class_name) : std::string_view();
  const types::FunctionContext context(tree, scopes, flow, function, request.facts, class_name);
  use(context, lines);
  return std::nullopt;
}

}  // namespace

MendedFunction mend_function(const Source& source, const FunctionRequest& request) {
  MendedFunction result;
  const auto problem = with_stages(
      source, request, [&](const types::FunctionContext& context, const source::LineIndex& lines) {
        result = Mender(source.text(), request, context, lines).run();
      });
  if (problem) {
    result.status = problem->status;
    result.message = problem->message;
  }
  return result;
}

std::string impurity_of_function(const Source& source, const FunctionRequest& request) {
  std::string reason;
  const auto problem = with_stages(
      source, request, [&](const types::FunctionContext& context, const source::LineIndex& lines) {
        if (const effects::Objection objection = effects::function_impurity(context)) {
          reason = place(request, lines.line(context.tree().range(objection.node).start)) + ": " +
                   objection.reason;
        }
      });
  return problem ? problem->message : reason;
}

}  // namespace graphmend::pipeline
