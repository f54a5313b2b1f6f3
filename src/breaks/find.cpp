#include "breaks/finding.h"
#include "breaks/kinds.h"

#include <array>

namespace graphmend::breaks {
namespace {

struct KindText {
  std::string_view name;
  std::string_view gb;
  std::string_view explanation;
};

constexpr auto kTexts = std::to_array<KindText>({
#define GM_BREAK_KIND(Name, text, gb, explanation) {text, gb, explanation},
#include "breaks/kinds.def"
});

using Find = std::optional<Finding> (*)(const types::FunctionContext&, syntax::NodeId);

// One row a kind, in the order of kinds.def.
constexpr auto kFinders = std::to_array<Find>({
#define GM_BREAK_KIND(Name, text, gb, explanation) find_##Name,
#include "breaks/kinds.def"
});

}  // namespace

std::string_view kind_name(Kind kind) {
  return kTexts[static_cast<std::size_t>(kind)].name;
}
std::string_view kind_gb(Kind kind) {
  return kTexts[static_cast<std::size_t>(kind)].gb;
}
std::string_view kind_explanation(Kind kind) {
  return kTexts[static_cast<std::size_t>(kind)].explanation;
}

std::string_view certainty_name(Certainty certainty) {
  constexpr std::array<std::string_view, 3> kNames = {"certain", "likely", "possible"};
  return kNames[static_cast<std::size_t>(certainty)];
}

std::optional<Finding> find_break(const types::FunctionContext& context, syntax::NodeId statement) {
  for (const Find find : kFinders) {
    if (auto finding = find(context, statement)) {
      return finding;
    }
  }
  return std::nullopt;
}

}  // namespace graphmend::breaks
