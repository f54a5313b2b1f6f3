// What only the parser of 3.8 rejects, and later versions leave to the compiler: names that are
// __debug__, and keyword arguments that are repeated.
#include "syntax/forbidden_names.h"

#include <string>
#include <unordered_set>
#include <utility>

namespace graphmend::syntax {

namespace {

class Finder {
 public:
  explicit Finder(const Tree& tree) : tree_(tree) {}

  std::optional<diag::Diagnostic> find() {
    for (std::uint32_t i = 1; i < tree_.size(); ++i) {
      look_at(NodeId(i));
    }
    return std::move(first_);
  }

 private:
  // The error that comes first in the text is the one that is reported.
  void report(TextRange where, const char* message, diag::Code code) {
    if (!first_ || where.start < first_->range.start) {
      first_ = {code, diag::Severity::Error, where, message, ""};
    }
  }
  void check(TextRange name, TextRange where) {
    if (tree_.text(name) == "__debug__") {
      report(where, "cannot assign to __debug__", diag::Code::InvalidTarget);
    }
  }

  void look_at(NodeId id) {
    const TextRange range = tree_.range(id);
    switch (tree_.kind(id)) {
      case NodeKind::FunctionDef:
        return check(FunctionDefView(tree_, id).name(), range);
      case NodeKind::ClassDef:
        check(ClassDefView(tree_, id).name(), range);
        return check_keywords(ClassDefView(tree_, id).arguments());
      case NodeKind::Param:
        return check(ParamView(tree_, id).name(), range);
      case NodeKind::Call:
        return check_keywords(CallView(tree_, id).arguments());
      case NodeKind::Name:
        if (tree_.context(id) == ExprContext::Store) {
          check(range, range);
        }
        return;
      case NodeKind::Attribute:
        if (tree_.context(id) == ExprContext::Store) {
          check(AttributeView(tree_, id).attr(), range);
        }
        return;
      case NodeKind::Alias: {
        const AliasView view(tree_, id);
        if (view.has_asname()) {
          check(view.asname(), range);
        } else if (view.name_first() == view.name_last()) {
          check(tree_.token_range(view.name_first()), range);
        }
        return;
      }
      case NodeKind::ExceptHandler:
        return check(ExceptHandlerView(tree_, id).name(), range);
      default:
        return;
    }
  }

  void check_keywords(std::span<const NodeId> arguments) {
    std::unordered_set<std::string> names;
    for (const NodeId id : arguments) {
      if (tree_.kind(id) != NodeKind::Keyword || !KeywordView(tree_, id).has_name()) {
        continue;
      }
      const TextRange name = KeywordView(tree_, id).name();
      check(name, tree_.range(id));
      std::string storage;
      if (!names.emplace(tree_.identifier(name, storage)).second) {
        return report(tree_.range(id), "keyword argument repeated", diag::Code::InvalidArguments);
      }
    }
  }

  const Tree& tree_;
  std::optional<diag::Diagnostic> first_;
};

}  // namespace

std::optional<diag::Diagnostic> find_forbidden_name(const Tree& tree) {
  return Finder(tree).find();
}

}  // namespace graphmend::syntax
