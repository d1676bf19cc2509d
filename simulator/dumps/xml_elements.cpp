#include "simulator/dumps/xml_elements.hpp"

#include "traces/errors/input_limits.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace keyswap::simulator {
namespace {

class XmlParser {
  public:
    XmlParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    Expected<XmlElement> parse() {
        auto root = element(0);
        skip_misc();
        if (!error_ && at_ < text_.size()) {
            fail("something follows the last element");
        }
        if (error_) {
            return tl::unexpected(*error_);
        }
        return std::move(*root);
    }

  private:
    /// Line at the current position. Counts from the previous call's position, which only grows.
    [[nodiscard]] int line() {
        auto const offset = [](std::size_t at) { return static_cast<std::ptrdiff_t>(at); };
        line_ += static_cast<int>(
            std::count(text_.begin() + offset(counted_), text_.begin() + offset(at_), '\n'));
        counted_ = at_;
        return line_;
    }
    void fail(std::string const& problem,
              std::string const& remedy = "give a whole XML file as NCCL writes it") {
        if (!error_) {
            error_ = InputError{file_ + ":" + std::to_string(line()), problem, remedy};
        }
    }
    [[nodiscard]] bool is_space() const {
        return at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos;
    }
    void skip_space() {
        while (is_space()) {
            ++at_;
        }
    }
    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) {
            return false;
        }
        at_ += word.size();
        return true;
    }
    void skip_past(std::string_view end) {
        std::size_t const found = text_.find(end, at_);
        at_ = found == text_.npos ? text_.size() : found + end.size();
    }
    /// Skips space, comments, prologue and document type before the next element.
    void skip_misc() {
        for (skip_space(); at_ < text_.size(); skip_space()) {
            if (take("<!--")) {
                skip_past("-->");
            } else if (take("<?")) {
                skip_past("?>");
            } else if (take("<!")) {
                skip_past(">");
            } else {
                return;
            }
        }
    }
    std::string name() {
        std::size_t const end = std::min(text_.find_first_of(" \t\r\n=/><\"", at_), text_.size());
        std::string const word(text_.substr(at_, end - at_));
        at_ = end;
        return word;
    }
    void attributes(XmlElement& into) {
        for (skip_space(); !error_ && at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/';
             skip_space()) {
            std::string const key = name();
            bool const is_double = take("=\"");
            bool const good = !key.empty() && (is_double || take("='"));
            std::size_t const end = text_.find(is_double ? '"' : '\'', at_);
            if (!good || end == text_.npos ||
                text_.substr(at_, end - at_).find('<') != text_.npos) {
                return fail("an attribute of <" + into.name + "> is malformed");
            }
            if (!into.attributes.emplace(key, printable_text(text_.substr(at_, end - at_)))
                     .second) {
                return fail("<" + into.name + "> has two attributes " + key);
            }
            at_ = end + 1;
        }
    }
    std::optional<XmlElement> element(std::uint64_t depth) {
        skip_misc();
        XmlElement found;
        found.line = line();
        if (depth > limit_of(Limit::depth)) {
            auto const error = beyond_limit(Limit::depth, "", "elements nest too deep");
            fail(error.problem, error.remedy);
            return std::nullopt;
        }
        if (!take("<") || (found.name = name()).empty()) {
            fail("an element was expected");
            return std::nullopt;
        }
        attributes(found);
        if (take("/>")) {
            return found;
        }
        if (!take(">")) {
            fail("<" + found.name + "> does not end");
        }
        for (skip_misc(); !error_ && !take("</"); skip_misc()) {
            if (auto child = element(depth + 1)) {
                found.children.push_back(std::move(*child));
            }
        }
        if (!error_ && (name() != found.name || !take(">"))) {
            fail("<" + found.name + "> is closed by another name");
        }
        return found;
    }

    std::string_view text_;
    std::string file_;
    std::size_t at_ = 0;
    std::size_t counted_ = 0; ///< position up to which `line_` counts line breaks
    int line_ = 1;
    std::optional<InputError> error_;
};

} // namespace

Expected<XmlElement> parse_xml_elements(std::string_view text, std::string_view file) {
    return XmlParser(text, file).parse();
}

} // namespace keyswap::simulator
