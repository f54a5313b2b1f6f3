#include "types/torch_stubs.h"

#include "syntax/parser.h"
#include "types/modules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include <xxhash.h>

namespace graphmend::types {
namespace {

using syntax::NodeId;
using syntax::NodeKind;
using syntax::ParamKind;

constexpr std::string_view kShipped =
#include "types/torch_table.inc"
    ;

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

// Reads one stub file and writes its declarations as lines.
class Declarer {
 public:
  Declarer(std::string_view text, const std::map<std::string, char>& return_types,
           std::set<std::string>& lines)
      : tree_(syntax::parse_module(text)), return_types_(return_types), lines_(lines) {}

  void functions(std::string_view prefix) {
    each(body(), [&](NodeId statement) {
      if (tree_.kind(statement) == NodeKind::FunctionDef) {
        declare(statement, prefix, false);
      }
    });
  }
  // The methods of one class.
  void methods(std::string_view class_name, std::string_view prefix) {
    each(body(), [&](NodeId statement) {
      if (tree_.kind(statement) != NodeKind::ClassDef ||
          syntax::ClassDefView(tree_, statement).name_text() != class_name) {
        return;
      }
      each(syntax::ClassDefView(tree_, statement).body(), [&](NodeId member) {
        if (tree_.kind(member) == NodeKind::FunctionDef) {
          declare(member, prefix, true);
        }
      });
    });
  }
  // The `forward` of every class, under the class's name.
  void forwards(std::string_view prefix) {
    each(body(), [&](NodeId statement) {
      if (tree_.kind(statement) != NodeKind::ClassDef) {
        return;
      }
      const syntax::ClassDefView view(tree_, statement);
      each(view.body(), [&](NodeId member) {
        if (tree_.kind(member) == NodeKind::FunctionDef &&
            syntax::FunctionDefView(tree_, member).name_text() == "forward") {
          declare(member, prefix, true, view.name_text());
        }
      });
    });
  }
  // "max" -> '2' for `class max(tuple[Tensor, Tensor])`.
  void tuples(std::map<std::string, char>& result) {
    each(body(), [&](NodeId statement) {
      if (tree_.kind(statement) != NodeKind::ClassDef) {
        return;
      }
      const syntax::ClassDefView view(tree_, statement);
      for (const NodeId base : view.arguments()) {
        result[std::string(view.name_text())] = type_of(tree_.text(base), true);
      }
    });
  }

 private:
  std::span<const NodeId> body() const { return syntax::ModuleView(tree_, tree_.root()).body(); }
  template <class Use>
  void each(std::span<const NodeId> statements, Use&& use) {
    for (const NodeId statement : statements) {
      use(statement);
    }
  }

  void declare(NodeId function, std::string_view prefix, bool method,
               std::string_view rename = {}) {
    const syntax::FunctionDefView view(tree_, function);
    const std::string_view name = rename.empty() ? view.name_text() : rename;
    std::string line = std::string(prefix) + std::string(name) + "(";
    bool first = true;
    for (const NodeId param : syntax::ArgumentsView(tree_, view.args()).params()) {
      const syntax::ParamView parameter(tree_, param);
      if (parameter.param_kind() == ParamKind::KwArgs) {
        continue;
      }
      if (method && first) {
        first = false;  // self
        continue;
      }
      if (line.back() != '(') {
        line += ',';
      }
      first = false;
      line += parameter.param_kind() == ParamKind::VarArgs       ? "*"
              : parameter.param_kind() == ParamKind::KeywordOnly ? "!"
                                                                 : "";
      line += parameter.name_text();
      line += ':';
      line += parameter.annotation() ? type_of(tree_.text(parameter.annotation()), false) : '?';
      line += parameter.default_value() ? "=" : "";
    }
    line += ')';
    line += view.returns() ? type_of(tree_.text(view.returns()), true) : '?';
    lines_.insert(std::move(line));
  }

  char type_of(std::string_view text, bool result) const {
    if (text.size() > 2 && (text.front() == '"' || text.front() == '\'')) {
      text = text.substr(1, text.size() - 2);
    }
    if (is_any_of(text, {"Tensor", "torch.Tensor", "Self", "Parameter"})) {
      return 'T';
    }
    if (is_any_of(text, {"Tensor | None", "Optional[Tensor]"})) {
      return 'U';
    }
    if (is_any_of(text, {"_bool", "bool", "builtins.bool"})) {
      return 'b';
    }
    if (is_any_of(text, {"_int", "int", "SymInt", "_int | SymInt", "int | SymInt"})) {
      return 'i';
    }
    if (is_any_of(text, {"_float", "float"})) {
      return 'f';
    }
    if (is_any_of(text, {"Number", "Number | _complex", "_complex", "complex"})) {
      return 'n';
    }
    if (is_any_of(text, {"str", "_str", "builtins.str"})) {
      return 's';
    }
    if (is_any_of(text, {"Size", "torch.Size"})) {
      return 'S';
    }
    if (text == "None") {
      return 'N';
    }
    if (text.find("_dtype") != std::string_view::npos ||
        text.find("_device") != std::string_view::npos ||
        text.find("DeviceLikeType") != std::string_view::npos) {
      return result && !text.starts_with("_") ? '?' : 'd';
    }
    constexpr std::string_view kReturnTypes = "torch.return_types.";
    if (text.starts_with(kReturnTypes)) {
      const auto found = return_types_.find(std::string(text.substr(kReturnTypes.size())));
      return found == return_types_.end() ? '?' : found->second;
    }
    if (text.starts_with("tuple[") || text.starts_with("Tuple[")) {
      return tuple_of(text.substr(6, text.size() - 7));
    }
    if (is_any_of(text, {"list[Tensor]", "List[Tensor]"})) {
      return 'L';
    }
    if (!result && text.find("Tensor") != std::string_view::npos &&
        text.find("tuple") == std::string_view::npos &&
        text.find("list") == std::string_view::npos &&
        text.find("Sequence") == std::string_view::npos) {
      return text.find("Number") != std::string_view::npos ? '?' : 'T';
    }
    if (text.starts_with("_size") || text.starts_with("Sequence[_int")) {
      return result ? 'S' : 'l';
    }
    return '?';
  }

  static char tuple_of(std::string_view inside) {
    if (inside == "Tensor, ...") {
      return 'V';
    }
    int count = 1;
    while (true) {
      const std::size_t comma = inside.find(", ");
      const std::string_view part = inside.substr(0, comma);
      if (part != "Tensor") {
        return '?';
      }
      if (comma == std::string_view::npos) {
        return count >= 2 && count <= 9 ? static_cast<char>('0' + count) : '?';
      }
      inside = inside.substr(comma + 2);
      ++count;
    }
  }

  syntax::Tree tree_;
  const std::map<std::string, char>& return_types_;
  std::set<std::string>& lines_;
};

}  // namespace

StubSources read_stub_sources(const std::string& folder) {
  std::vector<std::string> names = {"return_types.pyi", "_C/_VariableFunctions.pyi",
                                    "functional.py",    "_C/__init__.pyi",
                                    "_tensor.py",       "nn/functional.pyi"};
  std::error_code error;
  const std::size_t others = names.size();
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/nn/modules", error)) {
    if (entry.path().extension() == ".py") {
      names.push_back("nn/modules/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin() + static_cast<std::ptrdiff_t>(others), names.end());
  StubSources sources;
  for (const std::string& name : names) {
    std::string path = folder;
    path += '/';
    path += name;
    if (auto text = read_file(path)) {
      sources.hash = XXH3_64bits_withSeed(name.data(), name.size(), sources.hash);
      sources.hash = XXH3_64bits_withSeed(text->data(), text->size(), sources.hash);
      sources.files.emplace_back(name, *std::move(text));
    }
  }
  return sources;
}

std::string declare_torch(const StubSources& sources) {
  std::set<std::string> lines;
  std::map<std::string, char> return_types;
  const auto with = [&](std::string_view file, auto&& use) {
    for (const auto& [name, text] : sources.files) {
      if (name == file) {
        Declarer declarer(text, return_types, lines);
        use(declarer);
      }
    }
  };
  std::map<std::string, char> tuples;
  with("return_types.pyi", [&](Declarer& file) { file.tuples(tuples); });
  return_types = std::move(tuples);
  with("_C/_VariableFunctions.pyi", [](Declarer& file) { file.functions("torch."); });
  with("functional.py", [](Declarer& file) { file.functions("torch."); });
  with("_C/__init__.pyi", [](Declarer& file) { file.methods("TensorBase", "Tensor."); });
  with("_tensor.py", [](Declarer& file) { file.methods("Tensor", "Tensor."); });
  with("nn/functional.pyi", [](Declarer& file) { file.functions("F."); });
  for (const auto& [name, text] : sources.files) {
    if (name.starts_with("nn/modules/")) {
      with(name, [](Declarer& file) { file.forwards("nn."); });
    }
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  return text;
}

TorchStubs TorchStubs::parse(std::string_view lines) {
  TorchStubs stubs;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t open = line.find('(');
    const std::size_t close = line.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos ||
        close + 1 >= line.size()) {
      continue;
    }
    StubOverload overload;
    overload.result = line[close + 1];
    std::string_view rest = line.substr(open + 1, close - open - 1);
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      std::string_view part = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      StubParameter parameter;
      if (part.starts_with('*') || part.starts_with('!')) {
        parameter.variadic = part.front() == '*';
        parameter.keyword_only = part.front() == '!';
        part.remove_prefix(1);
      }
      const std::size_t colon = part.find(':');
      parameter.name = part.substr(0, colon);
      parameter.type = part[colon + 1];
      parameter.has_default = part.ends_with('=');
      overload.parameters.push_back(std::move(parameter));
    }
    stubs.table_[std::string(line.substr(0, open))].push_back(std::move(overload));
  }
  return stubs;
}

const TorchStubs& TorchStubs::shipped() {
  static const TorchStubs kStubs = parse(kShipped);
  return kStubs;
}

TorchStubs TorchStubs::read(const std::string& folder) {
  const std::string lines = declare_torch(read_stub_sources(folder));
  return lines.empty() ? shipped() : parse(lines);
}

const std::vector<StubOverload>* TorchStubs::find(std::string_view name) const {
  const auto found = table_.find(std::string(name));
  return found == table_.end() ? nullptr : &found->second;
}

}  // namespace graphmend::types
