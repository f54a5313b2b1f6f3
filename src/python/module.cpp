// The extension module graphmend._core: the pipeline for Python.
#include "driver/run.h"
#include "pipeline/mend_function.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

using graphmend::mends::WrittenText;
using graphmend::pipeline::FunctionRequest;
using graphmend::pipeline::MendedFunction;
using graphmend::pipeline::Site;
using graphmend::pipeline::Source;
using graphmend::pipeline::Status;

using Lines = std::vector<std::pair<std::uint32_t, std::optional<std::int32_t>>>;

Lines lines_of(const WrittenText& written) {
  Lines lines;
  lines.reserve(written.lines.size());
  for (const auto& origin : written.lines) {
    lines.emplace_back(origin.line, origin.column_shift);
  }
  return lines;
}

const char* status_name(const MendedFunction& function) {
  switch (function.status) {
    case Status::Mended:
      return "mended";
    case Status::Unchanged:
      return "unchanged";
    case Status::Missing:
      return "missing";
    case Status::Error:
      return "error";
  }
  return "error";
}

FunctionRequest make_request(std::string path, std::uint32_t line, std::string name,
                             std::vector<std::string> freevars,
                             std::optional<std::string> class_name, bool asserts,
                             const std::map<std::string, std::string>& facts) {
  FunctionRequest request;
  request.path = std::move(path);
  request.line = line;
  request.name = std::move(name);
  request.free_names = std::move(freevars);
  request.class_name = std::move(class_name);
  request.asserts = asserts;
  for (const auto& [global, fact] : facts) {
    request.facts.set(global, graphmend::types::parse_global_fact(fact));
  }
  return request;
}

std::string text_of(const nb::bytes& source) {
  return {static_cast<const char*>(source.data()), source.size()};
}

nb::bytes bytes_of(std::string_view text) {
  return nb::bytes(text.data(), text.size());
}

// The driver's host, made of Python functions. The driver runs without the interpreter's lock.
graphmend::driver::Host make_host(
    std::function<bool(nb::bytes)> write_output, std::function<bool(nb::bytes)> write_error,
    std::function<nb::bytes()> read_input,
    std::function<std::optional<nb::bytes>(nb::str, nb::bytes)> decode) {
  graphmend::driver::Host host;
  host.version = GM_VERSION;
  host.write_output = [write = std::move(write_output)](std::string_view text) {
    const nb::gil_scoped_acquire lock;
    return write(bytes_of(text));
  };
  host.write_error = [write = std::move(write_error)](std::string_view text) {
    const nb::gil_scoped_acquire lock;
    return write(bytes_of(text));
  };
  host.read_input = [read = std::move(read_input)] {
    const nb::gil_scoped_acquire lock;
    return text_of(read());
  };
  host.decode = [decode = std::move(decode)](std::string_view encoding, std::string_view bytes) {
    const nb::gil_scoped_acquire lock;
    const auto decoded = decode(nb::str(encoding.data(), encoding.size()), bytes_of(bytes));
    return decoded ? std::optional(text_of(*decoded)) : std::nullopt;
  };
  return host;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The core of graphmend: analysis and rewriting of Python source.";
  module.def("version", [] { return GM_VERSION; }, "The version of the core.");

  nb::class_<Site>(module, "Site", "One site of a function: a place that breaks the graph.")
      .def_ro("id", &Site::id)
      .def_ro("kind", &Site::kind)
      .def_ro("gb", &Site::gb)
      .def_ro("certainty", &Site::certainty)
      .def_ro("mend", &Site::mend)
      .def_ro("reason", &Site::reason)
      .def_ro("advice", &Site::advice)
      .def_ro("line", &Site::line)
      .def_ro("column", &Site::column)
      .def_ro("end_line", &Site::end_line)
      .def_ro("end_column", &Site::end_column)
      .def_ro("last_line", &Site::last_line)
      .def_prop_ro("status",
                   [](const Site& site) { return site.mend.empty() ? "declined" : "mended"; })
      .def_prop_ro("outline_text", [](const Site& site) { return site.outline.text.text; })
      .def_prop_ro("outline_lines", [](const Site& site) { return lines_of(site.outline.text); })
      .def_prop_ro("params", [](const Site& site) { return site.outline.params; })
      .def_prop_ro("calls", [](const Site& site) { return site.outline.calls; });

  nb::class_<MendedFunction>(module, "MendedFunction", "What mend_function found and wrote.")
      .def_prop_ro("status", &status_name)
      .def_ro("message", &MendedFunction::message)
      .def_ro("sites", &MendedFunction::sites)
      .def_prop_ro("original_text",
                   [](const MendedFunction& function) { return function.original.text; })
      .def_prop_ro("original_lines",
                   [](const MendedFunction& function) { return lines_of(function.original); })
      .def_prop_ro("text", [](const MendedFunction& function) { return function.mended.text; })
      .def_prop_ro("lines",
                   [](const MendedFunction& function) { return lines_of(function.mended); });

  nb::class_<Source>(module, "Source", "The text of a module, made once for all its functions.")
      .def(
          "__init__",
          [](Source* self, const nb::bytes& source) { new (self) Source(text_of(source)); },
          nb::arg("source"), "`source`: the text in UTF-8.");
  nb::implicitly_convertible<nb::bytes, Source>();

  module.def(
      "mend_function",
      [](const Source& source, std::string path, std::uint32_t line, std::string name,
         std::vector<std::string> freevars, std::optional<std::string> class_name, bool asserts,
         const std::map<std::string, std::string>& facts) {
        return graphmend::pipeline::mend_function(
            source, make_request(std::move(path), line, std::move(name), std::move(freevars),
                                 std::move(class_name), asserts, facts));
      },
      nb::arg("source"), nb::arg("path"), nb::arg("line"), nb::arg("name"), nb::kw_only(),
      nb::arg("freevars") = std::vector<std::string>{}, nb::arg("class_name") = nb::none(),
      nb::arg("asserts") = true, nb::arg("facts") = std::map<std::string, std::string>{},
      "Mends the function whose `def` (or first decorator) stands at `line` of `source`: a Source, "
      "or bytes in UTF-8.");

  module.def(
      "impurity_of_function",
      [](const Source& source, std::string path, std::uint32_t line, std::string name,
         std::vector<std::string> freevars, std::optional<std::string> class_name,
         const std::map<std::string, std::string>& facts) {
        return graphmend::pipeline::impurity_of_function(
            source, make_request(std::move(path), line, std::move(name), std::move(freevars),
                                 std::move(class_name), true, facts));
      },
      nb::arg("source"), nb::arg("path"), nb::arg("line"), nb::arg("name"), nb::kw_only(),
      nb::arg("freevars") = std::vector<std::string>{}, nb::arg("class_name") = nb::none(),
      nb::arg("facts") = std::map<std::string, std::string>{},
      "Why a call of the function may do more than give a value; empty when it is pure.");

  module.def(
      "run_command",
      [](const std::vector<nb::bytes>& arguments, std::function<bool(nb::bytes)> write_output,
         std::function<bool(nb::bytes)> write_error, std::function<nb::bytes()> read_input,
         std::function<std::optional<nb::bytes>(nb::str, nb::bytes)> decode) {
        std::vector<std::string> texts;
        texts.reserve(arguments.size());
        for (const nb::bytes& argument : arguments) {
          texts.push_back(text_of(argument));
        }
        const graphmend::driver::Host host =
            make_host(std::move(write_output), std::move(write_error), std::move(read_input),
                      std::move(decode));
        const nb::gil_scoped_release unlocked;
        return static_cast<int>(graphmend::driver::run(texts, host));
      },
      nb::arg("arguments"), nb::kw_only(), nb::arg("write_output"), nb::arg("write_error"),
      nb::arg("read_input"), nb::arg("decode"),
      "Runs the command line; returns its exit status. The functions must not raise: `write_...` "
      "say "
      "whether all was written, `decode` gives UTF-8, or None.");
}
