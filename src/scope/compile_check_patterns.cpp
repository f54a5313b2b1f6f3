// Patterns: which names they bind, and whether they leave something to match for those after them.
#include "scope/compile_checker.h"
#include "syntax/python_repr.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace graphmend::scope {

using namespace syntax;  // NOLINT: kinds and views throughout

namespace {

constexpr std::size_t kMostBeforeStar = 256;
// Floats below it hold every integer.
constexpr double kExactIntegers = 9007199254740992.0;

// The digits of a number, so that equal numbers have equal texts whatever their type.
std::string number_text(double value) {
  if (value == static_cast<double>(static_cast<long long>(value)) && value < kExactIntegers &&
      value > -kExactIntegers) {
    return std::to_string(static_cast<long long>(value));
  }
  return fmt::format("{}", value);
}

}  // namespace

// A key of a mapping pattern that is a constant: `same` is equal for keys that Python finds equal,
// `shown` is its repr.
struct CompileChecker::Key {
  std::string same;
  std::string shown;
};

// A literal as Key; nothing for what is no constant.
std::optional<CompileChecker::Key> CompileChecker::constant_key(NodeId id) const {
  const std::string_view text = tree_.text(id);
  switch (tree_.kind(id)) {
    case NodeKind::Constant:
      switch (ConstantView(tree_, id).constant_kind()) {
        case ConstantKind::None:
          return Key{"None", "None"};
        case ConstantKind::True:
          return Key{"1", "True"};
        case ConstantKind::False:
          return Key{"0", "False"};
        case ConstantKind::Ellipsis:
          return Key{"...", "Ellipsis"};
        case ConstantKind::Int: {
          const std::string shown = repr_int(text);
          return Key{shown, shown};
        }
        case ConstantKind::Float: {
          const std::string shown = repr_float(text);
          return Key{number_text(std::strtod(shown.c_str(), nullptr)), shown};
        }
        case ConstantKind::Imaginary: {
          const std::string shown = repr_imaginary(text);
          const std::string part = number_text(std::strtod(shown.c_str(), nullptr));
          return Key{part == "0" ? part : "+" + part + "j", shown};
        }
        case ConstantKind::Str:
          return Key{"s" + tree_.string_value(id), repr_str(tree_.string_value(id), version_)};
        case ConstantKind::Bytes:
          return Key{"b" + tree_.string_value(id), repr_bytes(tree_.string_value(id))};
      }
      return std::nullopt;
    case NodeKind::UnaryOp: {
      std::optional<Key> key = constant_key(UnaryOpView(tree_, id).operand());
      if (key) {
        key->same = key->same == "0" ? key->same : "-" + key->same;
        key->shown = "-" + key->shown;
      }
      return key;
    }
    case NodeKind::BinOp: {
      const BinOpView view(tree_, id);
      const std::optional<Key> left = constant_key(view.left());
      const std::optional<Key> right = constant_key(view.right());
      if (!left || !right) {
        return std::nullopt;
      }
      const std::string_view sign = view.op() == Operator::Add ? "+" : "-";
      // Without an imaginary part it equals the real number.
      std::string same = left->same;
      if (right->same != "0") {
        same = fmt::format("{}{}{}", left->same == "0" ? "" : left->same, sign,
                           std::string_view(right->same).substr(1));
      }
      return Key{same, fmt::format("({}{}{})", left->shown, sign, right->shown)};
    }
    default:
      return std::nullopt;
  }
}

void CompileChecker::match_statement(NodeId id) {
  const MatchView view(tree_, id);
  const std::span<const NodeId> cases = view.cases();
  for (std::size_t i = cases.size(); i-- > 0;) {
    const MatchCaseView match_case(tree_, cases[i]);
    push_list(match_case.body());
    push(match_case.guard());
    push(cases[i], i + 1 == cases.size() ? Action::LastCase : Action::Case);
  }
  push(view.subject());
}

void CompileChecker::match_case(NodeId id, bool is_last) {
  const MatchCaseView view(tree_, id);
  Names names;
  pattern(view.pattern(), is_last || view.guard(), names);
}

// Patterns nest as deep as the brackets that the lexer allows.
void CompileChecker::pattern(NodeId id, bool may_always_match, Names& names) {
  switch (tree_.kind(id)) {
    case NodeKind::MatchValue:
      if (tree_.kind(MatchValueView(tree_, id).value()) == NodeKind::JoinedStr) {
        error(diag::Code::InvalidPatternValue, id,
              "patterns may only match literals and attribute lookups");
      }
      return;
    case NodeKind::MatchSequence:
      return pattern_sequence(id, names);
    case NodeKind::MatchMapping:
      return pattern_mapping(id, names);
    case NodeKind::MatchClass:
      return pattern_class(id, names);
    case NodeKind::MatchStar:
      return pattern_name(id, MatchStarView(tree_, id).name_token(), names);
    case NodeKind::MatchAs: {
      const MatchAsView view(tree_, id);
      if (view.pattern()) {
        pattern(view.pattern(), may_always_match, names);
      } else if (!may_always_match) {
        error(diag::Code::UnreachablePattern, id,
              view.has_name() ? "name capture '" + name_of(view.name()) +
                                    "' makes remaining patterns unreachable"
                              : "wildcard makes remaining patterns unreachable");
      }
      return pattern_name(id, view.name_token(), names);
    }
    case NodeKind::MatchOr:
      return pattern_or(id, may_always_match, names);
    default:
      return;
  }
}

void CompileChecker::pattern_name(NodeId id, TokenId token, Names& names) {
  if (token) {
    check_name(tree_.token_range(token), tree_.range(id));
    bind(id, name_of(tree_.token_range(token)), names);
  }
}

void CompileChecker::bind(NodeId id, const std::string& name, Names& names) {
  if (!names.insert(name).second) {
    error(diag::Code::PatternBindings, id,
          "multiple assignments to name '" + name + "' in pattern");
  }
}

void CompileChecker::pattern_sequence(NodeId id, Names& names) {
  const std::span<const NodeId> patterns = MatchSequenceView(tree_, id).patterns();
  bool starred = false;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (tree_.kind(patterns[i]) != NodeKind::MatchStar) {
      continue;
    }
    if (starred) {
      error(diag::Code::MisplacedStar, id, "multiple starred names in sequence pattern");
      break;
    }
    if (i >= kMostBeforeStar) {
      error(diag::Code::MisplacedStar, id,
            "too many expressions in star-unpacking sequence pattern");
    }
    starred = true;
  }
  for (const NodeId item : patterns) {
    pattern(item, true, names);
  }
}

void CompileChecker::pattern_mapping(NodeId id, Names& names) {
  const MatchMappingView view(tree_, id);
  const std::span<const NodeId> items = view.items();
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (const std::optional<Key> key = constant_key(items[i])) {
      if (!seen.insert(key->same).second) {
        error(diag::Code::RepeatedKeyword, before(13) ? tree_.range(id) : tree_.range(items[i]),
              "mapping pattern checks duplicate key (" + key->shown + ")");
      }
    } else if (tree_.kind(items[i]) != NodeKind::Attribute) {
      error(diag::Code::InvalidPatternValue, id,
            "mapping pattern keys may only match literals and attribute lookups");
    }
  }
  for (std::size_t i = 1; i < items.size(); i += 2) {
    pattern(items[i], true, names);
  }
  pattern_name(id, view.rest_token(), names);
}

void CompileChecker::pattern_class(NodeId id, Names& names) {
  const std::span<const NodeId> arguments = MatchClassView(tree_, id).arguments();
  std::unordered_set<std::string> seen;
  for (const NodeId argument : arguments) {
    if (tree_.kind(argument) != NodeKind::MatchKeyword) {
      continue;
    }
    const MatchKeywordView keyword(tree_, argument);
    const std::string name = name_of(keyword.name());
    check_name(keyword.name(), keyword.range());
    if (!seen.insert(name).second) {
      error(diag::Code::RepeatedKeyword, keyword.pattern(),
            "attribute name repeated in class pattern: " + name);
    }
  }
  for (const NodeId argument : arguments) {
    const bool keyword = tree_.kind(argument) == NodeKind::MatchKeyword;
    pattern(keyword ? MatchKeywordView(tree_, argument).pattern() : argument, true, names);
  }
}

// All alternatives bind the same names.
void CompileChecker::pattern_or(NodeId id, bool may_always_match, Names& names) {
  const std::span<const NodeId> alternatives = MatchOrView(tree_, id).patterns();
  Names first;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    Names own;
    pattern(alternatives[i], may_always_match && i + 1 == alternatives.size(), own);
    if (i == 0) {
      first = std::move(own);
    } else if (own != first) {
      error(diag::Code::PatternBindings, id, "alternative patterns bind different names");
      break;
    }
  }
  for (const std::string& name : first) {
    bind(id, name, names);
  }
}

}  // namespace graphmend::scope
