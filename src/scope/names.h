// The names of a tree, and those that its scopes add to them.
#ifndef GRAPHMEND_SCOPE_NAMES_H_
#define GRAPHMEND_SCOPE_NAMES_H_

#include "syntax/name_table.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace graphmend::scope {

using syntax::NameId;

// A table of names that goes on where that of a tree ends: what the parser interned keeps its id.
// The tree's table is shared, and outlives the tree where it has to.
class Names {
 public:
  Names() = default;
  explicit Names(std::shared_ptr<const syntax::NameTable> base)
      : base_(std::move(base)), base_size_(base_->size()) {}

  // An identifier that is not in its normal form yet must be normalized before.
  NameId intern(std::string_view text) {
    const NameId found = base_->find(text);
    return found || text.empty() ? found : lifted(added_.intern(text));
  }
  // None when the name was never interned.
  NameId find(std::string_view text) const {
    const NameId found = base_->find(text);
    return found ? found : lifted(added_.find(text));
  }
  std::string_view text(NameId id) const {
    return id.value < base_size_ ? base_->text(id) : added_.text(lowered(id));
  }
  // Whether a class would mangle it: two underscores in front, and not at the end.
  bool is_private(NameId id) const {
    return id.value < base_size_ ? base_->is_private(id) : added_.is_private(lowered(id));
  }
  bool has_private() const { return base_->has_private() || added_.has_private(); }
  // Number of ids, the placeholder included.
  std::uint32_t size() const { return base_size_ + (added_.size() == 0 ? 0 : added_.size() - 1); }
  std::size_t memory() const { return added_.memory(); }

 private:
  NameId lifted(NameId id) const { return id ? NameId(id.value + base_size_ - 1) : id; }
  NameId lowered(NameId id) const { return NameId(id.value - base_size_ + 1); }

  std::shared_ptr<const syntax::NameTable> base_;
  std::uint32_t base_size_ = 0;
  syntax::NameTable added_;
};

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_NAMES_H_
