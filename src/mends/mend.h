// A mend: a legal rewrite of one site, planned first, written later.
#ifndef GRAPHMEND_MENDS_MEND_H_
#define GRAPHMEND_MENDS_MEND_H_

#include "breaks/finding.h"
#include "mends/code_writer.h"
#include "types/function_context.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace graphmend::mends {

// Why a site is left as it is: the obligation that can't be discharged, what the user can change,
// and the place that stands in the way.
struct Decline {
  std::string reason;
  std::string advice;
  syntax::NodeId node;
};

// The site's statement as a function of its operands, for the operators that run it at its place.
struct Outline {
  WrittenText text;                 // `def name(parameters): statement`; empty when there is none
  std::vector<std::string> params;  // the predicate's excluded
  std::vector<std::string> calls;   // chains that are called and must turn out to be pure
};

// Where the arm of a conditional ends.
enum class ArmEnd : std::uint8_t {
  Branch,    // where the branch ends: the arm returns what it bound
  Function,  // where the function ends: the arm returns what the function does
};

// What writing a mend needs.
struct WriteContext {
  CodeWriter& out;
  const types::FunctionContext& function;
  const breaks::Finding& finding;
  std::string site;      // the site's id, as the run time knows it
  std::uint32_t number;  // of the site in its function: makes names unique
  // Writes statements of the original, their own sites mended.
  std::function<void(std::span<const syntax::NodeId>)> write_body;
  // The same for the arm of a conditional, which is traced whole or not at all: its sites need no
  // way back.
  std::function<void(std::span<const syntax::NodeId>, ArmEnd)> write_arm;
  std::optional<ArmEnd> arm = std::nullopt;  // the site itself is in such an arm
};

// A planned rewrite. One class for each mend, in the mend's own file.
class Plan {
 public:
  virtual ~Plan() = default;
  // Writes the statement's mended form.
  virtual void write(const WriteContext& context) const = 0;
  // What follows the statement in its block is written with it when it stands in an arm.
  [[nodiscard]] virtual bool ends_arm(ArmEnd /*arm*/) const { return false; }
  // The outlined statement, when the mend has one.
  [[nodiscard]] virtual Outline outline(const types::FunctionContext& function,
                                        const breaks::Finding& finding,
                                        const source::LineIndex& lines) const;

 protected:
  Plan() = default;
  Plan(const Plan&) = default;
  Plan& operator=(const Plan&) = default;
};

// The mend is not made for statements of this shape.
struct NotApplicable {};

using PlanResult = std::variant<NotApplicable, Decline, std::unique_ptr<Plan>>;

// One row of the table of mends.
struct Mend {
  std::string_view name;  // "select"
  PlanResult (*plan)(const types::FunctionContext&, const breaks::Finding&);
};

// All mends in their order: the first whose obligations hold is taken.
[[nodiscard]] std::span<const Mend> mends();

// The plan for a finding and the name of its mend, or why none of the mends is legal.
struct Planned {
  std::string_view mend;  // empty when declined
  std::unique_ptr<Plan> plan;
  Decline decline;
};
[[nodiscard]] Planned plan_mend(const types::FunctionContext& context,
                                const breaks::Finding& finding);

}  // namespace graphmend::mends

#endif  // GRAPHMEND_MENDS_MEND_H_
