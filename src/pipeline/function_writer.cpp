#include "pipeline/function_writer.h"

#include "mends/names.h"

#include <utility>

namespace graphmend::pipeline {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::TokenId;
using syntax::TokenKind;

FunctionWriter::FunctionWriter(const types::FunctionContext& context,
                               const source::LineIndex& lines,
                               const std::map<NodeId, PlannedSite>& sites)
    : context_(context), tree_(context.tree()), sites_(sites), out_(context.tree(), lines) {}

mends::WrittenText FunctionWriter::write() {
  const NodeId function = context_.function();
  const syntax::FunctionDefView view(tree_, function);
  for (const NodeId decorator : view.decorators()) {
    out_.copy("@(", mends::outer_range(tree_, decorator), ")");
  }
  write_header(tree_.range(function).start, view.body());
  out_.indent();
  write_body(view.body(), Place::Outside);
  out_.dedent();
  return out_.take();
}

bool FunctionWriter::holds_site(NodeId statement) const {
  // Ids of a subtree are contiguous.
  const auto first = sites_.lower_bound(tree_.subtree_begin(statement));
  return first != sites_.end() && first->first <= statement;
}

// Recursion here is as deep as the source is indented, which the parser limits.
void FunctionWriter::write_body(std::span<const NodeId> body,
                                Place place) {  // NOLINT(misc-no-recursion)
  for (const NodeId statement : body) {
    write_statement(statement, place);
    const auto site = sites_.find(statement);
    const auto arm = arm_of(place);
    if (arm && site != sites_.end() && site->second.plan->ends_arm(*arm)) {
      return;  // it took what follows with it
    }
  }
}

void FunctionWriter::write_statement(NodeId statement, Place place) {  // NOLINT(misc-no-recursion)
  if (const auto site = sites_.find(statement); site != sites_.end()) {
    write_site(site->second, place);
  } else if (holds_site(statement)) {
    write_compound(statement, place);
  } else {
    copy_alone(statement);
  }
}

void FunctionWriter::copy_alone(NodeId statement) {
  edit::EditSet edits;
  if (tree_.has_flag(statement, syntax::kElif)) {
    const std::uint32_t start = tree_.range(statement).start;
    edits.replace({start, start + 2}, "");  // `elif` stands alone as `if`
  }
  out_.copy_statement(statement, edits);
}

void FunctionWriter::write_site(const PlannedSite& site,
                                Place place) {  // NOLINT(misc-no-recursion)
  const base::TextRange range = tree_.range(site.finding.statement);
  const base::TextRange anchor{range.start, range.start};
  const bool asks = place == Place::Outside;
  if (asks) {
    out_.line("if " + mends::runtime("active") + "():", anchor);
    out_.indent();
  }
  site.plan->write({.out = out_,
                    .function = context_,
                    .finding = site.finding,
                    .site = site.id,
                    .number = site.number,
                    .write_body =
                        [this, place](std::span<const NodeId> body) {
                          write_body(body, arm_of(place) ? place : Place::InMended);
                        },
                    .write_arm =
                        [this](std::span<const NodeId> body, mends::ArmEnd end) {
                          write_body(body, end == mends::ArmEnd::Branch ? Place::InBranchArm
                                                                        : Place::InFunctionArm);
                        },
                    .arm = arm_of(place)});
  if (asks) {
    out_.dedent();
    out_.line("else:", anchor);
    out_.indent();
    copy_alone(site.finding.statement);
    out_.dedent();
  }
}

std::optional<mends::ArmEnd> FunctionWriter::arm_of(Place place) {
  switch (place) {
    case Place::InBranchArm:
      return mends::ArmEnd::Branch;
    case Place::InFunctionArm:
      return mends::ArmEnd::Function;
    default:
      return std::nullopt;
  }
}

void FunctionWriter::write_compound(NodeId statement, Place place) {  // NOLINT(misc-no-recursion)
  const std::uint32_t start = tree_.range(statement).start;
  const auto suite = [&](std::span<const NodeId> body) {
    out_.indent();
    write_body(body, place);
    out_.dedent();
  };
  switch (tree_.kind(statement)) {
    case NodeKind::If:
      write_if(statement, place);
      return;
    case NodeKind::Try:
      write_try(statement, place);
      return;
    case NodeKind::For: {
      const syntax::ForView view(tree_, statement);
      write_header(start, view.body());
      suite(view.body());
      write_else("else:", view.orelse(), place);
      return;
    }
    case NodeKind::While: {
      const syntax::WhileView view(tree_, statement);
      write_header(start, view.body());
      suite(view.body());
      write_else("else:", view.orelse(), place);
      return;
    }
    case NodeKind::With: {
      const syntax::WithView view(tree_, statement);
      write_header(start, view.body());
      suite(view.body());
      return;
    }
    case NodeKind::Match: {
      const syntax::MatchView view(tree_, statement);
      write_header(start, view.cases());
      out_.indent();
      for (const NodeId match_case : view.cases()) {
        const auto body = syntax::MatchCaseView(tree_, match_case).body();
        write_header(tree_.range(match_case).start, body);
        suite(body);
      }
      out_.dedent();
      return;
    }
    default:
      out_.copy_statement(statement);
  }
}

void FunctionWriter::write_if(NodeId statement, Place place) {  // NOLINT(misc-no-recursion)
  // Where a chain is written from one of its `elif` on, that stands alone as `if`.
  std::uint32_t skipped = tree_.has_flag(statement, syntax::kElif) ? 2 : 0;
  // An elif chain is a loop here: it may be far longer than statements may nest.
  while (true) {
    const syntax::IfView view(tree_, statement);
    write_header(tree_.range(statement).start + std::exchange(skipped, 0), view.body());
    out_.indent();
    write_body(view.body(), place);
    out_.dedent();
    const auto orelse = view.orelse();
    const bool chained = orelse.size() == 1 && tree_.kind(orelse[0]) == NodeKind::If &&
                         tree_.has_flag(orelse[0], syntax::kElif) && !sites_.contains(orelse[0]);
    if (!chained) {
      write_else("else:", orelse, place);
      return;
    }
    statement = orelse[0];
  }
}

void FunctionWriter::write_try(NodeId statement, Place place) {  // NOLINT(misc-no-recursion)
  const syntax::TryView view(tree_, statement);
  write_header(tree_.range(statement).start, view.body());
  out_.indent();
  write_body(view.body(), place);
  out_.dedent();
  for (const NodeId handler : view.handlers()) {
    const auto body = syntax::ExceptHandlerView(tree_, handler).body();
    write_header(tree_.range(handler).start, body);
    out_.indent();
    write_body(body, place);
    out_.dedent();
  }
  write_else("else:", view.orelse(), place);
  write_else("finally:", view.finalbody(), place);
}

void FunctionWriter::write_else(std::string_view keyword, std::span<const NodeId> body,
                                Place place) {  // NOLINT(misc-no-recursion)
  if (body.empty()) {
    return;
  }
  const base::TextRange first = tree_.range_with_decorators(body.front());
  out_.line(keyword, {first.start, first.start});
  out_.indent();
  write_body(body, place);
  out_.dedent();
}

void FunctionWriter::write_header(std::uint32_t start, std::span<const NodeId> body) {
  out_.copy({start, header_end(body)});
}

std::uint32_t FunctionWriter::header_end(std::span<const NodeId> body) const {
  base::TextRange place = tree_.range_with_decorators(body.front());
  while (true) {
    const TokenId before = tree_.token_before(place);
    if (!before) {
      return place.start;
    }
    place = tree_.token_range(before);
    if (tree_.tokens().kind(before) == TokenKind::Colon) {
      return place.end;
    }
  }
}

}  // namespace graphmend::pipeline
