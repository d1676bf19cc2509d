#include "proptests/properties/sort_case.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <utility>

namespace keyswap::proptests {

namespace {

using Json = nlohmann::json;

/// An integer from 0 to `most`; nullopt for any other value.
std::optional<std::uint64_t> whole_number(Json const& value, std::uint64_t most) {
    bool const fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
    return fits ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

/// Reads members of a JSON object and remembers the first invalid one.
class Members {
  public:
    explicit Members(Json const& json) : json_(json) {}

    template <class Number>
    Number number(char const* name) {
        auto const value = whole_number(member(name), std::numeric_limits<Number>::max());
        note(name, value.has_value());
        return static_cast<Number>(value.value_or(0));
    }
    KeyType key_type(char const* name) {
        Json const& value = member(name);
        auto const type = value.is_string() ? parse_key_type(value.get<std::string>())
                                            : Expected<KeyType>(tl::unexpected(InputError{}));
        note(name, type && key_bits(*type) <= 64); // images are JSON numbers
        return type.value_or(KeyType::u32);
    }
    std::vector<std::uint64_t> numbers(char const* name, std::uint64_t most) {
        std::vector<std::uint64_t> numbers;
        Json const& list = member(name);
        note(name, list.is_array());
        if (list.is_array()) {
            for (Json const& entry : list) {
                auto const number = whole_number(entry, most);
                note(name, number.has_value());
                numbers.push_back(number.value_or(0));
            }
        }
        return numbers;
    }
    [[nodiscard]] std::string const& wrong() const { return wrong_; }

  private:
    Json const& member(char const* name) const {
        static Json const none;
        auto const found = json_.find(name);
        return found == json_.end() ? none : *found;
    }
    void note(char const* name, bool good) {
        if (!good && wrong_.empty()) {
            wrong_ = name;
        }
    }

    Json const& json_;
    std::string wrong_;
};

} // namespace

std::string to_text(SortCase const& sort_case) {
    model::SortConfig const& config = sort_case.config;
    return nlohmann::ordered_json{{"type", to_string(config.key_type)},
                                  {"gpus", config.gpu_count},
                                  {"digit_bits", config.digit_bits},
                                  {"tolerance_ppm", config.tolerance_ppm},
                                  {"fuse_ppm", config.fuse_ppm},
                                  {"images", sort_case.images}}
        .dump();
}

void showValue(SortCase const& sort_case, std::ostream& out) {
    out << to_text(sort_case);
}

Expected<SortCase> parse_sort_case(std::string const& text, std::string const& name) {
    auto const refused = [&](std::string problem) {
        return tl::unexpected(
            InputError{name, std::move(problem), "remove the file, or save the case again"});
    };
    auto const json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return refused("is not a saved case: it is no JSON object");
    }
    Members members(json);
    SortCase sort_case;
    sort_case.config.key_type = members.key_type("type");
    sort_case.config.gpu_count = members.number<std::uint32_t>("gpus");
    sort_case.config.digit_bits = members.number<int>("digit_bits");
    sort_case.config.tolerance_ppm = members.number<std::uint32_t>("tolerance_ppm");
    sort_case.config.fuse_ppm = members.number<std::uint32_t>("fuse_ppm");
    std::uint64_t const image_max = key_bits(sort_case.config.key_type) == 32
                                        ? std::numeric_limits<std::uint32_t>::max()
                                        : std::numeric_limits<std::uint64_t>::max();
    sort_case.images = members.numbers("images", image_max);
    sort_case.config.key_count = sort_case.images.size();
    if (!members.wrong().empty()) {
        return refused("has no usable \"" + members.wrong() + '"');
    }
    if (auto const valid = model::validated(sort_case.config); !valid) {
        return refused(valid.error().subject + ": " + valid.error().problem);
    }
    return sort_case;
}

} // namespace keyswap::proptests
