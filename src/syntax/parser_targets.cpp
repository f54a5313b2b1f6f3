// Targets: expressions that are read first and then found to be assigned to or deleted.
#include "syntax/parser_impl.h"

namespace graphmend::syntax {

// Makes an expression a target, or reports why it can't be one. Nesting is limited by the brackets
// that the lexer allows.
void Parser::set_target(NodeId id, TargetUse use) {
  if (failed_) {
    return;
  }
  ExprContext context = use == TargetUse::Delete ? ExprContext::Del : ExprContext::Store;
  bool nested_allowed = use != TargetUse::Augmented && use != TargetUse::Walrus;
  switch (kind(id)) {
    case NodeKind::Name:
    case NodeKind::Attribute:
    case NodeKind::Subscript:
      break;
    case NodeKind::Starred:
      if (!nested_allowed || use == TargetUse::Delete) {
        fail_target(id, use);
        return;
      }
      {
        NodeId value(node(id).a);
        if (kind(value) == NodeKind::Starred) {
          fail_target(value, use);
          return;
        }
        set_target(value, use);
      }
      break;
    case NodeKind::List:
    case NodeKind::Tuple: {
      if (!nested_allowed) {
        fail_target(id, use);
        return;
      }
      std::uint32_t header = node(id).a;
      std::uint32_t count = extra_[header].value;
      for (std::uint32_t i = 1; i <= count; ++i) {
        set_target(extra_[header + i], use);
      }
      break;
    }
    default:
      fail_target(id, use);
      return;
  }
  node(id).flags = static_cast<std::uint16_t>((node(id).flags & ~kContextMask) |
                                              static_cast<std::uint16_t>(context));
}

// '*' target | target, above the operator `in`.
NodeId Parser::parse_star_target() {
  if (!at(TokenKind::Star)) {
    return parse_binary(kBitOrLevel);
  }
  std::uint32_t start = here();
  ++cur_;
  NodeId value = parse_binary(kBitOrLevel);
  return finish(NodeKind::Starred, start, value.value);
}

// The targets of a `for`, which end before `in`: one, or a tuple.
NodeId Parser::parse_target_list(TargetUse use) {
  std::uint32_t start = here();
  NodeId target = parse_star_target();
  if (at(TokenKind::Comma)) {
    std::size_t mark = scratch_.size();
    scratch_.push_back(target);
    while (accept(TokenKind::Comma)) {
      if (!kStartsExpression[static_cast<std::size_t>(*cur_)] && !at(TokenKind::Star)) {
        break;
      }
      NodeId next = parse_star_target();
      scratch_.push_back(next);
    }
    target = finish(NodeKind::Tuple, start, make_list(mark));
  }
  set_target(target, use);
  return target;
}

}  // namespace graphmend::syntax
