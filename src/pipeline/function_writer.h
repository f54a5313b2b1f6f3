// Writes a function in its mended form.
#ifndef GRAPHMEND_PIPELINE_FUNCTION_WRITER_H_
#define GRAPHMEND_PIPELINE_FUNCTION_WRITER_H_

#include "breaks/finding.h"
#include "mends/mend.h"
#include "types/function_context.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphmend::pipeline {

// A site whose mend is planned.
struct PlannedSite {
  breaks::Finding finding;
  std::string id;
  std::uint32_t number = 0;
  std::unique_ptr<mends::Plan> plan;
};

// Statements of one function and how each is written: as it is, or, where it is a site, in two
// forms. The run time is asked which of them to run: the mended one while tracing, else the
// original.
class FunctionWriter {
 public:
  // `sites` by the id of their statement; all must outlive the writer.
  FunctionWriter(const types::FunctionContext& context, const source::LineIndex& lines,
                 const std::map<syntax::NodeId, PlannedSite>& sites);

  // The `def` statement with its sites mended.
  [[nodiscard]] mends::WrittenText write();

 private:
  // Inside a site's mended form its nested sites need not ask again; in the arm of a conditional
  // they have no way back either.
  enum class Place : std::uint8_t { Outside, InMended, InBranchArm, InFunctionArm };

  // The arm that a place is in.
  [[nodiscard]] static std::optional<mends::ArmEnd> arm_of(Place place);

  void write_body(std::span<const syntax::NodeId> body, Place place);
  void write_statement(syntax::NodeId statement, Place place);
  // Copies a statement to where it stands alone: an `elif` becomes an `if`.
  void copy_alone(syntax::NodeId statement);
  void write_site(const PlannedSite& site, Place place);
  // A compound statement of which a part is a site.
  void write_compound(syntax::NodeId statement, Place place);
  void write_if(syntax::NodeId statement, Place place);
  void write_try(syntax::NodeId statement, Place place);
  // The text from `start` to the colon before `body`.
  void write_header(std::uint32_t start, std::span<const syntax::NodeId> body);
  void write_else(std::string_view keyword, std::span<const syntax::NodeId> body, Place place);
  [[nodiscard]] std::uint32_t header_end(std::span<const syntax::NodeId> body) const;
  // The statement, or one in it, is a site.
  [[nodiscard]] bool holds_site(syntax::NodeId statement) const;

  const types::FunctionContext& context_;
  const syntax::Tree& tree_;
  const std::map<syntax::NodeId, PlannedSite>& sites_;
  mends::CodeWriter out_;
};

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_FUNCTION_WRITER_H_
