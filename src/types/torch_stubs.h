// What torch's functions and tensor methods take and give, as torch's own stubs declare it.
#ifndef GRAPHMEND_TYPES_TORCH_STUBS_H_
#define GRAPHMEND_TYPES_TORCH_STUBS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphmend::types {

// What a parameter takes or a function gives, as one character:
//   T tensor, U tensor or None, i int, f float, n number, b bool, s str, d dtype or device, S Size,
//   N None, L list of tensors, V tuple of tensors of unknown length, l sequence of numbers,
//   2..9 tuple of so many tensors, ? anything else
using StubType = char;

struct StubParameter {
  std::string name;
  StubType type = '?';
  bool has_default = false;
  bool keyword_only = false;
  bool variadic = false;  // *args
};

struct StubOverload {
  std::vector<StubParameter> parameters;
  StubType result = '?';
};

// The texts of the stubs in torch's folder, by file, and a hash of them.
struct StubSources {
  std::vector<std::pair<std::string, std::string>> files;
  std::uint64_t hash = 0;
};
[[nodiscard]] StubSources read_stub_sources(const std::string& folder);

// Overloads by name: "torch.max", "Tensor.max", "F.relu", and "nn.Linear" for the call of a module.
class TorchStubs {
 public:
  // The table that ships, made from the torch that requirements/ pins.
  static const TorchStubs& shipped();
  // The stubs of an installed torch: `folder` holds its `__init__.py`. The shipped ones when they
  // can't be read there.
  static TorchStubs read(const std::string& folder);
  // The same from the lines that declare() made.
  static TorchStubs parse(std::string_view lines);

  // Null when the name is not declared.
  [[nodiscard]] const std::vector<StubOverload>* find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return table_.size(); }

 private:
  std::unordered_map<std::string, std::vector<StubOverload>> table_;
};

// One line an overload, "torch.max(input:T,dim:i,keepdim:b=)2"; empty when there are no stubs.
[[nodiscard]] std::string declare_torch(const StubSources& sources);

}  // namespace graphmend::types

#endif  // GRAPHMEND_TYPES_TORCH_STUBS_H_
