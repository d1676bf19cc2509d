#pragma once

/// \file For tests: what a command prints with --json, of which each field that is read is
/// remembered, so that a field which no table shows does not go unnoticed.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools::testing {

/// A value of a JSON document that knows where it lies.
class ToldJson {
  public:
    using Json = nlohmann::ordered_json;

    /// The whole document. \pre `json` outlives this
    explicit ToldJson(Json const& json)
        : json_(&json), read_(std::make_shared<std::set<std::string>>()) {}

    /// \throws nlohmann::json::exception where there is no such field
    [[nodiscard]] ToldJson operator[](std::string const& name) const;
    [[nodiscard]] bool has(std::string const& name) const { return json_->contains(name); }
    /// Whether it is null, or not there. A null is read by asking.
    [[nodiscard]] bool is_null(std::string const& name) const;
    /// Elements of an array.
    [[nodiscard]] std::vector<ToldJson> each() const;
    /// Names of an object's fields, in the order of the document.
    [[nodiscard]] std::vector<std::string> names() const;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::uint64_t count() const;
    [[nodiscard]] double number() const;
    [[nodiscard]] bool flag() const;
    /// A text as it is, anything else as JSON has it.
    [[nodiscard]] std::string shown() const;
    /// Numbers or texts of an array, with commas between them.
    [[nodiscard]] std::string joined(std::string const& separator) const;

    /// Fields that nobody has read so far, as "rows[]/keys"; in the document as a whole.
    [[nodiscard]] std::set<std::string> unread() const;

  private:
    ToldJson(Json const& json, std::shared_ptr<std::set<std::string>> read, std::string path)
        : json_(&json), read_(std::move(read)), path_(std::move(path)) {}

    Json const* json_;
    std::shared_ptr<std::set<std::string>> read_; ///< paths, shared by all values of a document
    std::string path_;
};

/// Lines without those that are empty, each with one space between its words: how columns are
/// aligned is no matter of what they say.
[[nodiscard]] std::vector<std::string> lines_of_words(std::string const& text);

} // namespace keyswap::tools::testing
