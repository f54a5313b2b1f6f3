#include "mends/mend.h"

#include "mends/mends.h"

#include <array>
#include <utility>

namespace graphmend::mends {
namespace {

// The mends in the order in which they are tried. Their shapes of statement overlap little; where
// they do, the one that needs no host at run time comes first.
constexpr auto kMends = std::to_array<Mend>({
    {"select", plan_select},
    {"guard", plan_guard},
    {"effect", plan_effect},
    {"update", plan_update},
    {"cond", plan_cond},
    {"tail", plan_tail},
    {"dense", plan_dense},
});

}  // namespace

Outline Plan::outline(const types::FunctionContext& /*function*/,
                      const breaks::Finding& /*finding*/,
                      const source::LineIndex& /*lines*/) const {
  return {};
}

std::span<const Mend> mends() {
  return kMends;
}

Planned plan_mend(const types::FunctionContext& context, const breaks::Finding& finding) {
  Planned planned;
  planned.decline = {
      "the branch does more than assign names, raise, write records, or update one object",
      "split the statement, or compute both outcomes and choose with torch.where",
      finding.statement};
  bool declined = false;
  for (const Mend& mend : kMends) {
    PlanResult result = mend.plan(context, finding);
    if (auto* plan = std::get_if<std::unique_ptr<Plan>>(&result)) {
      planned.mend = mend.name;
      planned.plan = std::move(*plan);
      return planned;
    }
    if (auto* decline = std::get_if<Decline>(&result); decline != nullptr && !declined) {
      planned.decline = std::move(*decline);
      declined = true;
    }
  }
  return planned;
}

}  // namespace graphmend::mends
