#include "types/global_facts.h"

#include <array>
#include <utility>

namespace graphmend::types {

GlobalFact parse_global_fact(std::string_view text) {
  constexpr std::string_view kModulePrefix = "module:";
  if (text.starts_with(kModulePrefix)) {
    return {GlobalKind::Module, std::string(text.substr(kModulePrefix.size()))};
  }
  constexpr auto kNames = std::to_array<std::pair<std::string_view, GlobalKind>>({
      {"builtin", GlobalKind::Builtin},
      {"logger", GlobalKind::Logger},
      {"callable", GlobalKind::Callable},
      {"tensor", GlobalKind::Tensor},
      {"value", GlobalKind::Value},
  });
  for (const auto& [name, kind] : kNames) {
    if (text == name) {
      return {kind, {}};
    }
  }
  return {};
}

}  // namespace graphmend::types
