// The sweep from the inside out.
#include "scope/analyzer.h"

#include <algorithm>
#include <cstring>

namespace graphmend::scope {

void Analyzer::outward() {
  const std::uint32_t count = tree_.scope_count();
  std::memset(static_cast<void*>(free_.extend(count)), 0, count * sizeof(Free));
  for (std::uint32_t i = count; i-- > 1;) {
    const ScopeId id(i);
    const std::uint8_t work = work_[i];
    if ((work & kFreeInside) != 0) {
      gather(id);
      settle(id);
    } else if ((work & kFreeNames) != 0) {
      hand_on(id);
    }
    const Scope& current = scope(id);
    const bool may_be_inlined = current.is_comprehension() && !current.is_generator && !before(12);
    if (!current.unevaluated && (free_[i].count != 0 || may_be_inlined)) {
      work_[current.parent.value] |= kFreeInside;
    }
  }
}

void Analyzer::list_here(ScopeId id) {
  if (here_.empty()) {
    const std::size_t names = tree_.names_.size();
    std::memset(static_cast<void*>(here_.extend(names)), 0, names * sizeof(SymbolId));
  }
  store_.for_each(id, [&](SymbolId own) { here_[symbol(own).name.value] = own; });
}

// All that a scope without others to care for has to do: its free names are free in it.
void Analyzer::hand_on(ScopeId id) {
  Free& free = free_[id.value];
  free.begin = static_cast<std::uint32_t>(free_names_.size());
  store_.for_each(id, [&](SymbolId own) {
    if (symbol(own).binding == Binding::Free) {
      free_names_.push_back(own);
    }
  });
  free.count = static_cast<std::uint32_t>(free_names_.size() - free.begin);
}

// Collects the names that are free in the scopes inside, and takes the names of the comprehensions
// among them that are inlined.
void Analyzer::gather(ScopeId id) {
  const std::size_t names = tree_.names_.size();
  passing_.clear(id, names);
  gathered_.clear();
  list_here(id);
  const bool inlines = !before(12) && !scope(id).sees_class_scope;
  for (const ScopeId child : tree_.children(id)) {
    const Scope& inside = scope(child);
    if (inside.unevaluated) {
      continue;
    }
    const bool inlined = inlines && inside.is_comprehension() && !inside.is_generator;
    if (inlined) {
      if (!cells_.in_use(id)) {
        cells_.clear(id, names);
      }
      inline_comprehension(id, child);
    }
    const Free free = free_[child.value];
    for (std::uint32_t i = free.begin; i < free.begin + free.count; ++i) {
      const SymbolId name = free_names_[i];
      if (passing_.insert(symbol(name).name)) {
        gathered_.push_back(name);
      }
    }
  }
}

// Notes the names that are free in a child of the comprehension, comprehensions inlined into it
// replaced by their own children.
void Analyzer::mark_free_in_children(ScopeId comprehension) {
  comprehensions_.clear();
  comprehensions_.push_back(comprehension);
  while (!comprehensions_.empty()) {
    const ScopeId parent = comprehensions_.back();
    comprehensions_.pop_back();
    for (const ScopeId child : tree_.children(parent)) {
      if (scope(child).inlined) {
        comprehensions_.push_back(child);
        continue;
      }
      store_.for_each(child, [&](SymbolId id) {
        if (symbol(id).binding == Binding::Free) {
          kept_.insert(symbol(id).name);
        }
      });
    }
  }
}

void Analyzer::inline_comprehension(ScopeId into, ScopeId comprehension) {
  scope(comprehension).inlined = true;
  const bool into_class = scope(into).kind == ScopeKind::Class;
  const std::size_t names = tree_.names_.size();
  kept_.clear(comprehension, names);
  mark_free_in_children(comprehension);
  dropped_.clear(comprehension, names);
  bool any_dropped = false;
  const auto drop = [&](NameId name) {
    if (!kept_.contains(name)) {
      dropped_.insert(name);
      any_dropped = true;
    }
  };
  store_.for_each(comprehension, [&](SymbolId id) {
    const Symbol inner = symbol(id);
    if (inner.has(kParameter)) {
      return;
    }
    if (inner.binding == Binding::Cell || inner.has(kCompCell)) {
      cells_.insert(inner.name);
    }
    Binding binding = inner.binding;
    if (into_class && binding == Binding::Free &&
        (inner.name == known::dunder_class || inner.name == known::dunder_classdict ||
         inner.name == known::conditional_annotations)) {
      binding = Binding::GlobalImplicit;
      drop(inner.name);
    }
    const SymbolId existing = find_here(into, inner.name);
    if (!existing) {
      const SymbolId added = add_here(into, inner.name);
      Symbol& copy = symbol(added);
      copy.flags = static_cast<std::uint16_t>(
          copy.flags | kInlined | (inner.flags & (kSymtableFlags | kNamespace | kDeleted)));
      copy.binding = binding;
      copy.origin =
          inner.binding == Binding::Local || inner.binding == Binding::Cell ? added : inner.origin;
    } else if (symbol(existing).is_bound() && !into_class) {
      // Names of the function around are simply its locals now, unless a scope inside the
      // comprehension captures them.
      drop(inner.name);
    }
  });
  if (any_dropped) {
    Free& free = free_[comprehension.value];
    SymbolId* begin = free_names_.begin() + free.begin;
    SymbolId* end = std::remove_if(begin, begin + free.count,
                                   [&](SymbolId id) { return dropped_.contains(symbol(id).name); });
    free.count = static_cast<std::uint32_t>(end - begin);
  }
}

// Turns captured names into cells, adds the names that pass through, and hands on what is free.
void Analyzer::settle(ScopeId id) {
  Scope& current = scope(id);
  const bool is_class = current.kind == ScopeKind::Class;
  const bool function_like = current.is_function_like();
  if (is_class) {
    if (passing_.contains(known::dunder_class)) {
      current.needs_class_closure = true;
      passing_.erase(known::dunder_class);
    }
    if (!before(12) && passing_.contains(known::dunder_classdict)) {
      current.needs_classdict = true;
      passing_.erase(known::dunder_classdict);
    }
    if (!before(14)) {
      passing_.erase(known::conditional_annotations);
    }
  }
  Free& free = free_[id.value];
  free.begin = static_cast<std::uint32_t>(free_names_.size());
  const bool has_cells = cells_.in_use(id);
  store_.for_each(id, [&](SymbolId symbol_id) {
    Symbol& own = symbol(symbol_id);
    const bool in_cells = has_cells && cells_.contains(own.name);
    if (own.binding == Binding::Local) {
      if (function_like && (in_cells || passing_.contains(own.name))) {
        own.binding = Binding::Cell;
        passing_.erase(own.name);
      }
    } else if (own.binding == Binding::Free && !own.has(kInlined) && !passing_.contains(own.name)) {
      free_names_.push_back(symbol_id);
    }
    if (in_cells) {
      own.flags |= kCompCell;
    }
  });
  const bool marks_class_names =
      is_class || (!before(kFreeThroughAnnotations) && current.sees_class_scope);
  for (const SymbolId inner_id : gathered_) {
    const Symbol inner = symbol(inner_id);
    if (!passing_.contains(inner.name)) {
      continue;
    }
    if (const SymbolId existing = find_here(id, inner.name)) {
      Symbol& own = symbol(existing);
      if (marks_class_names && (!before(kFreeThroughAnnotations) ||
                                (own.flags & (kBoundFlags | kDeclaredGlobal)) != 0)) {
        own.flags |= kFreeClass;
      }
    } else if (budget_ > 0) {
      budget_ -= 1;
      Symbol& passed = symbol(add_here(id, inner.name));
      passed.binding = Binding::Free;
      passed.origin = inner.origin;
    } else {
      continue;
    }
    free_names_.push_back(inner_id);
  }
  free.count = static_cast<std::uint32_t>(free_names_.size() - free.begin);
}

}  // namespace graphmend::scope
