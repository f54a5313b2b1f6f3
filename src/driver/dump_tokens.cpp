// `graphmend dump tokens`.
#include "driver/dump.h"
#include "syntax/lexer.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

using base::TextRange;
using syntax::TokenId;
using syntax::TokenKind;

std::string_view kind_name(TokenKind kind) {
  static constexpr std::string_view kNames[] = {
#define GM_TOKEN(name, text) #name,
#include "syntax/token_kinds.def"
  };
  return kNames[static_cast<std::size_t>(kind)];
}

class Printer {
 public:
  Printer(const DumpRequest& request, const syntax::LexResult& lexed, Console& console)
      : request_(request),
        lexed_(lexed),
        console_(console),
        columns_(request.file, request.columns) {}

  void text() {
    std::size_t comment = 0;
    const auto comments = lexed_.tokens.comments();
    for (std::size_t i = 0; i < lexed_.tokens.size() && console_.out.good(); ++i) {
      const TextRange range = lexed_.tokens.ranges()[i];
      for (; comment < comments.size() && comments[comment].start < range.start; ++comment) {
        line(comments[comment], "comment");
      }
      line(range, kind_name(lexed_.tokens.kinds()[i]));
    }
  }

  void json() {
    base::JsonWriter json(console_.out.buffer());
    begin_document(json, lexed_.errors, request_);
    json.key("tokens");
    json.begin_array();
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < lexed_.tokens.size() && console_.out.good(); ++i) {
      const TextRange range = lexed_.tokens.ranges()[i];
      json.begin_object();
      json.member("kind", kind_name(lexed_.tokens.kinds()[i]));
      json.member("before", request_.file.text({done, range.start}));
      json.member("text", request_.file.text(range));
      place(json, range);
      json.end_object();
      done = range.end;
      console_.out.drain();
    }
    json.end_array();
    json.key("comments");
    json.begin_array();
    for (const TextRange range : lexed_.tokens.comments()) {
      json.begin_object();
      place(json, range);
      json.end_object();
      console_.out.drain();
    }
    json.end_array();
    // What follows the last token.
    json.member("after", request_.file.text().substr(done));
    json.end_object();
    console_.out.write("\n");
  }

 private:
  void line(TextRange range, std::string_view kind) {
    const source::Position start = columns_.position(range.start);
    const source::Position end = columns_.position(range.end);
    std::string& out = console_.out.buffer();
    const std::string place =
        fmt::format("{}:{}-{}:{}", start.line, start.column, end.line, end.column);
    fmt::format_to(std::back_inserter(out), "{:<16} {:<17} ", place, kind);
    base::append_json_string(out, request_.file.text(range));
    out += '\n';
    console_.out.drain();
  }

  void place(base::JsonWriter& json, TextRange range) const {
    const source::Position start = columns_.position(range.start);
    const source::Position end = columns_.position(range.end);
    json.member("line", start.line);
    json.member("column", start.column);
    json.member("end_line", end.line);
    json.member("end_column", end.column);
    json.member("offset", range.start);
    json.member("end_offset", range.end);
  }

  const DumpRequest& request_;
  const syntax::LexResult& lexed_;
  Console& console_;
  Columns columns_;
};

}  // namespace

ExitStatus dump_tokens(const DumpRequest& request, Console& console) {
  const syntax::LexResult lexed = syntax::lex(request.file.text(), request.version);
  Printer printer(request, lexed, console);
  if (request.json) {
    printer.json();
  } else {
    printer.text();
  }
  return report_errors(lexed.errors, request, console);
}

}  // namespace graphmend::driver
