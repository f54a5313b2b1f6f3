// What the names of a module hold, as far as it is known outside the text of one function.
#ifndef GRAPHMEND_TYPES_GLOBAL_FACTS_H_
#define GRAPHMEND_TYPES_GLOBAL_FACTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace graphmend::types {

enum class GlobalKind : std::uint8_t {
  Unknown,   // bound to something nothing is known of
  Builtin,   // not bound in the module: the builtin of that name
  Module,    // a module; `detail` is its dotted name
  Logger,    // a logging.Logger or LoggerAdapter
  Callable,  // a function or class
  Tensor,    // a tensor
  Value,     // a Python value that is no tensor
};

struct GlobalFact {
  GlobalKind kind = GlobalKind::Unknown;
  std::string detail;
};

// Facts by name. Names of the module are plain ("logger"); attributes of the method's own object
// are spelt "self.name". At run time they are read off the live function, in a static check off the
// module's imports and assignments.
class GlobalFacts {
 public:
  void set(std::string name, GlobalFact fact) { facts_[std::move(name)] = std::move(fact); }
  // Unknown when nothing was said of the name.
  [[nodiscard]] const GlobalFact& find(std::string_view name) const {
    static const GlobalFact kUnknown;
    const auto found = facts_.find(name);
    return found == facts_.end() ? kUnknown : found->second;
  }
  [[nodiscard]] bool is(std::string_view name, GlobalKind kind) const {
    return find(name).kind == kind;
  }

 private:
  std::map<std::string, GlobalFact, std::less<>> facts_;
};

// Reads the spelling used across the language border: "builtin", "module:torch.nn", "logger",
// "callable", "tensor", "value"; anything else is Unknown.
[[nodiscard]] GlobalFact parse_global_fact(std::string_view text);

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_GLOBAL_FACTS_H_
