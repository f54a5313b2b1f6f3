#include "breaks/catalogue.h"
#include "driver/command.h"

#include <memory>
#include <string>

#include <fmt/format.h>

namespace graphmend::driver {

Action declare_rules(CLI::App& parser) {
  struct Options {
    std::string kind;
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  parser.add_option("KIND", options->kind,
                    "The kind whose page is printed; all are listed without");
  parser.add_flag("--markdown", options->markdown, "Print the list as Markdown");
  return [options](Console& console) {
    if (!options->kind.empty()) {
      const breaks::Entry* entry = breaks::find_kind(options->kind);
      if (entry == nullptr) {
        console.err.write(
            fmt::format("graphmend rules: there is no kind '{}'; `graphmend rules` lists them\n",
                        options->kind));
        return ExitStatus::Failed;
      }
      console.out.write(breaks::page_text(entry->page));
      return ExitStatus::Done;
    }
    if (options->markdown) {
      console.out.write(breaks::index_text());
      return ExitStatus::Done;
    }
    for (const breaks::Entry* entry : breaks::catalogue()) {
      console.out.write(fmt::format("{:<24} {:<8} {}\n", entry->page.name,
                                    entry->page.gb.substr(0, 6), entry->page.title));
    }
    return ExitStatus::Done;
  };
}

}  // namespace graphmend::driver
