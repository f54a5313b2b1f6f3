#include "syntax/tree.h"

#include "syntax/identifiers.h"

#include <algorithm>
#include <array>

namespace graphmend::syntax {

namespace {

using namespace detail;  // the names of places

// All fields of all kinds in the order of node_kinds.def.
constexpr Field kFields[] = {
#define GM_CHILD(kind, name, place) {#name, FieldType::Child, place},
#define GM_OPTIONAL(kind, name, place) {#name, FieldType::Optional, place},
#define GM_LIST(kind, name, place) {#name, FieldType::List, place},
#define GM_TOKEN_FIELD(kind, name, place) {#name, FieldType::Token, place},
#define GM_WORD(kind, name, place) {#name, FieldType::Word, place},
#include "syntax/node_kinds.def"
};

constexpr std::size_t kFieldCounts[] = {
#define GM_NODE(kind, category) 0
#define GM_CHILD(kind, name, place) +1
#define GM_OPTIONAL(kind, name, place) +1
#define GM_LIST(kind, name, place) +1
#define GM_TOKEN_FIELD(kind, name, place) +1
#define GM_WORD(kind, name, place) +1
#define GM_END(kind) ,
#include "syntax/node_kinds.def"
};

struct FieldSlice {
  std::uint16_t begin;
  std::uint16_t size;
};

constexpr std::array<FieldSlice, kNodeKindCount> kFieldSlices = [] {
  std::array<FieldSlice, kNodeKindCount> slices{};
  std::uint16_t begin = 0;
  for (std::size_t i = 0; i < kNodeKindCount; ++i) {
    slices[i] = {begin, static_cast<std::uint16_t>(kFieldCounts[i])};
    begin = static_cast<std::uint16_t>(begin + kFieldCounts[i]);
  }
  return slices;
}();

}  // namespace

std::span<const Field> fields(NodeKind kind) {
  FieldSlice slice = kFieldSlices[static_cast<std::size_t>(kind)];
  return {kFields + slice.begin, slice.size};
}

std::string_view kind_name(NodeKind kind) {
  static constexpr std::string_view kNames[] = {
#define GM_NODE(kind, category) #kind,
#include "syntax/node_kinds.def"
  };
  return kNames[static_cast<std::size_t>(kind)];
}

NodeCategory category(NodeKind kind) {
  static constexpr NodeCategory kCategories[] = {
#define GM_NODE(kind, category) NodeCategory::category,
#include "syntax/node_kinds.def"
  };
  return kCategories[static_cast<std::size_t>(kind)];
}

TextRange Tree::range_with_decorators(NodeId id) const {
  TextRange whole = range(id);
  std::span<const NodeId> decorators;
  if (kind(id) == NodeKind::FunctionDef) {
    decorators = FunctionDefView(*this, id).decorators();
  } else if (kind(id) == NodeKind::ClassDef) {
    decorators = ClassDefView(*this, id).decorators();
  }
  if (!decorators.empty()) {
    // The `@` before the first decorator, over any parentheses around the expression.
    TokenId token = token_before(range(decorators[0]));
    while (token && tokens_.kind(token) == TokenKind::LeftParen) {
      --token.value;
    }
    whole.start = tokens_.range(token).start;
  }
  return whole;
}

TokenId Tree::token_at(std::uint32_t offset) const {
  std::span<const TextRange> ranges = tokens_.ranges();
  auto found = std::partition_point(ranges.begin(), ranges.end(),
                                    [offset](TextRange range) { return range.end <= offset; });
  if (found == ranges.end() && found != ranges.begin()) {
    --found;
  }
  return TokenId(static_cast<std::uint32_t>(found - ranges.begin()));
}

TokenId Tree::last_token(NodeId id) const {
  TextRange node_range = range(id);
  return node_range.empty() ? token_at(node_range.start) : token_at(node_range.end - 1);
}

TokenId Tree::token_after(TextRange range) const {
  TokenId token = token_at(range.empty() ? range.start : range.end - 1);
  std::span<const TokenKind> kinds = tokens_.kinds();
  std::span<const TextRange> ranges = tokens_.ranges();
  while (token.value + 1 < kinds.size() &&
         (ranges[token.value].start < range.end || is_virtual(kinds[token.value]))) {
    ++token.value;
  }
  return token;
}

TokenId Tree::token_before(TextRange range) const {
  TokenId token = token_at(range.start);
  while (token.value > 0) {
    --token.value;
    if (!is_virtual(tokens_.kind(token)) && tokens_.range(token).end <= range.start) {
      return token;
    }
  }
  // Token 0 would read as "none" anyway.
  return TokenId();
}

std::vector<std::uint32_t> Tree::logical_line_starts(TextRange range) const {
  std::vector<std::uint32_t> starts;
  auto line_start = [this](std::uint32_t offset) {
    while (offset > 0 && source_[offset - 1] != '\n' && source_[offset - 1] != '\r') {
      --offset;
    }
    return offset;
  };
  starts.push_back(line_start(range.start));
  std::span<const TokenKind> kinds = tokens_.kinds();
  std::span<const TextRange> ranges = tokens_.ranges();
  for (std::size_t i = token_at(range.start).value; i + 1 < kinds.size(); ++i) {
    if (kinds[i] != TokenKind::Newline) {
      continue;
    }
    std::size_t next = i + 1;
    while (is_virtual(kinds[next]) && kinds[next] != TokenKind::EndOfFile) {
      ++next;
    }
    if (kinds[next] == TokenKind::EndOfFile || ranges[next].start >= range.end) {
      break;
    }
    starts.push_back(line_start(ranges[next].start));
  }
  return starts;
}

std::span<const TextRange> Tree::comments_in(TextRange range) const {
  std::span<const TextRange> comments = tokens_.comments();
  auto first = std::partition_point(comments.begin(), comments.end(),
                                    [range](TextRange c) { return c.end <= range.start; });
  auto last = std::partition_point(first, comments.end(),
                                   [range](TextRange c) { return c.start < range.end; });
  return {first, last};
}

std::string_view Tree::indentation_at(std::uint32_t offset) const {
  std::size_t start = std::min<std::size_t>(offset, source_.size());
  while (start > 0 && source_[start - 1] != '\n' && source_[start - 1] != '\r') {
    --start;
  }
  if (start == 0 && source_.starts_with("\xef\xbb\xbf")) {
    start = 3;
  }
  std::size_t end = start;
  while (end < source_.size() &&
         (source_[end] == ' ' || source_[end] == '\t' || source_[end] == '\f')) {
    ++end;
  }
  return source_.substr(start, end - start);
}

std::string Tree::dotted_name(TokenId first, TokenId last) const {
  std::string name;
  if (!first) {
    return name;
  }
  std::string storage;
  for (std::uint32_t i = first.value; i <= last.value; ++i) {
    name += identifier(tokens_.range(TokenId(i)), storage);
  }
  return name;
}

std::string_view Tree::identifier(TextRange range, std::string& storage) const {
  std::string_view name = text(range);
  if (std::all_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return name;
  }
  storage = normalize_identifier(name);
  return storage;
}

NodeId Tree::docstring(std::span<const NodeId> body) const {
  if (body.empty() || kind(body[0]) != NodeKind::Expr) {
    return NodeId();
  }
  NodeId value = ExprView(*this, body[0]).value();
  bool is_string = kind(value) == NodeKind::Constant &&
                   op(value) == static_cast<std::uint8_t>(ConstantKind::Str);
  return is_string ? value : NodeId();
}

std::span<const NodeId> Tree::parents() const {
  if (parents_.size() != nodes_.size()) {
    std::vector<NodeId> parents(nodes_.size());
    for (std::uint32_t i = 1; i < size(); ++i) {
      for_each_child(*this, NodeId(i), [&](NodeId child) { parents[child.value] = NodeId(i); });
    }
    parents_ = std::move(parents);
  }
  return parents_;
}

NodeId Tree::subtree_begin(NodeId id) const {
  if (subtree_begins_.size() != nodes_.size()) {
    std::vector<NodeId> begins(nodes_.size());
    for (std::uint32_t i = 1; i < size(); ++i) {
      NodeId begin{i};
      for_each_child(*this, NodeId(i),
                     [&](NodeId child) { begin = std::min(begin, begins[child.value]); });
      begins[i] = begin;
    }
    subtree_begins_ = std::move(begins);
  }
  return subtree_begins_[id.value];
}

NodeId Tree::innermost(TextRange wanted) const {
  NodeId current = root();
  for (bool deeper = true; deeper;) {
    deeper = false;
    NodeId next;
    for_each_child(*this, current, [&](NodeId child) {
      if (!next && range_with_decorators(child).contains(wanted)) {
        next = child;
      }
    });
    if (next) {
      current = next;
      deeper = true;
    }
  }
  return current;
}

std::size_t Tree::memory() const {
  return nodes_.capacity() * sizeof(Node) + extra_.capacity() * sizeof(NodeId) + tokens_.memory();
}

std::optional<std::string> Tree::verify() const {
  auto describe = [this](std::uint32_t id, const char* problem) {
    return std::string(kind_name(kind(NodeId(id)))) + " node " + std::to_string(id) + ": " +
           problem;
  };
  if (nodes_.size() < 2 || kind(root()) != NodeKind::Module) {
    return "the last node is not a module";
  }
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    TextRange token = tokens_.range(TokenId(i));
    if (token.start < end || token.end < token.start || token.end > source_.size()) {
      return "token " + std::to_string(i) + " overlaps the one before, or is outside of the text";
    }
    end = token.end;
  }
  // Postorder: a child comes before its parent, and all nodes between a node's first descendant and
  // the node are its descendants.
  std::vector<std::uint32_t> begins(nodes_.size());
  std::vector<bool> used(nodes_.size());
  for (std::uint32_t i = 1; i < size(); ++i) {
    NodeId id(i);
    TextRange whole = range_with_decorators(id);
    if (whole.end < whole.start || whole.end > source_.size()) {
      return describe(i, "range outside of the text");
    }
    std::uint32_t begin = i;
    std::uint32_t count = 1;
    std::optional<std::string> problem;
    for_each_child(*this, id, [&](NodeId child) {
      if (child.value >= i) {
        problem = describe(i, "a child comes after it");
        return;
      }
      if (used[child.value]) {
        problem = describe(child.value, "two parents");
      }
      used[child.value] = true;
      if (!whole.contains(range_with_decorators(child)) && kind(id) != NodeKind::Param) {
        problem = describe(i, "a child outside of its range");
      }
      begin = std::min(begin, begins[child.value]);
      count += child.value - begins[child.value] + 1;
    });
    if (problem) {
      return problem;
    }
    if (count != i - begin + 1) {
      return describe(i, "its subtree is not contiguous");
    }
    begins[i] = begin;
  }
  if (begins[root().value] != 1) {
    return "nodes outside of the module";
  }
  return std::nullopt;
}

}  // namespace graphmend::syntax
