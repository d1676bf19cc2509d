#include "proptests/properties/field_change.hpp"

#include "traces/format/trace_fields.hpp"

#include <array>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

namespace keyswap::proptests {

namespace {

/// Visitor that lists the names of a record's fields.
struct FieldNames {
    int format_version = 1;
    std::vector<std::string> names;
    [[nodiscard]] int version() const { return format_version; }
    void operator()(char const* name, auto const& /*value*/) { names.emplace_back(name); }
    void operator()(char const* /*name*/, InputRecord const& input) { visit_fields(input, *this); }
    void since(int version, char const* name, auto const& value) {
        if (format_version >= version) {
            (*this)(name, value);
        }
    }
    void hex(char const* name, std::uint64_t const& /*value*/) { names.emplace_back(name); }
    void counts(std::vector<std::uint64_t> const& /*counts*/) { names.emplace_back("counts"); }
    void rule(BucketRule const& rule) {
        names.emplace_back("rule");
        std::visit([this](auto const& alternative) { visit_fields(alternative, *this); }, rule);
    }
};

template <class Record>
std::vector<std::string> field_names(Record const& record, int version) {
    FieldNames visitor{version, {}};
    visit_fields(record, visitor);
    return std::move(visitor.names);
}

/// An integer near or far from the old one.
template <class Whole>
Whole changed_whole(Whole value, std::uint64_t choice) {
    using Unsigned = std::make_unsigned_t<Whole>; // wraps around
    switch (choice % 6) {
    case 0:
        return static_cast<Whole>(static_cast<Unsigned>(value) + 1U);
    case 1:
        return static_cast<Whole>(static_cast<Unsigned>(value) - 1U);
    case 2:
        return Whole{0};
    case 3:
        return static_cast<Whole>(value ^ (Whole{1} << (choice / 6 % (sizeof(Whole) * 8 - 1))));
    case 4:
        return static_cast<Whole>(choice / 6 % 64);
    default:
        return std::numeric_limits<Whole>::max();
    }
}

/// Visitor that changes one field of a record.
class FieldChanger {
  public:
    FieldChanger(int version, std::size_t field, std::uint64_t choice)
        : version_(version), rest_(field), choice_(choice) {}

    [[nodiscard]] int version() const { return version_; }
    void since(int version, char const* name, auto& value) {
        if (version_ >= version) {
            (*this)(name, value);
        }
    }
    void operator()(char const* name, auto& value) {
        if (!is_this(name)) {
            return;
        }
        change(value);
    }
    void operator()(char const* /*name*/, InputRecord& input) { visit_fields(input, *this); }
    void hex(char const* name, std::uint64_t& value) { (*this)(name, value); }
    void counts(std::vector<std::uint64_t>& counts) {
        if (!is_this("counts")) {
            return;
        }
        if (counts.empty() || choice_ % 16 == 15) {
            counts.push_back(0);
            return;
        }
        std::uint64_t& count = counts[choice_ / 16 % counts.size()];
        count = changed_whole(count, choice_);
    }
    void rule(BucketRule& rule) {
        if (is_this("rule")) {
            return change_rule(rule);
        }
        std::visit([this](auto& alternative) { visit_fields(alternative, *this); }, rule);
    }
    [[nodiscard]] std::string const& name() const { return name_; }

  private:
    bool is_this(char const* name) {
        if (rest_-- != 0) {
            return false;
        }
        name_ = name;
        return true;
    }

    void change(std::integral auto& value) { value = changed_whole(value, choice_); }
    void change(bool& value) { value = !value; }
    void change(GpuId& gpu) { gpu.value = changed_whole(gpu.value, choice_); }
    void change(PhaseName& phase) {
        std::string text(phase.text());
        change(text);
        phase = PhaseName::of(text);
    }
    /// A different rule, with its fields at their defaults.
    void change_rule(BucketRule& rule) {
        static std::array<BucketRule, std::variant_size_v<BucketRule>> const rules{
            DigitBuckets{},
            DeltaBuckets{},
            SplitterBuckets{},
            PrimeBuckets{},
            HashBuckets{},
            LabelBuckets{},
            ForeignBuckets{}};
        rule = rules[(rule.index() + 1 + choice_ % (rules.size() - 1)) % rules.size()];
    }
    void change(KeyImage& image) {
        std::uint64_t& word = choice_ % 8 == 7 ? image.high : image.low;
        word = changed_whole(word, choice_ / 8);
    }
    void change(std::vector<KeyImage>& images) {
        if (images.empty() || choice_ % 16 == 15) {
            images.push_back({0, choice_ / 16});
        } else if (choice_ % 16 == 14) {
            images.pop_back();
        } else {
            std::size_t const place = choice_ / 16 % images.size();
            choice_ % 16 == 13 ? std::swap(images[place], images.back()) : change(images[place]);
        }
    }
    void change(std::vector<bool>& flags) {
        if (flags.empty() || choice_ % 16 == 15) {
            flags.push_back(choice_ / 16 % 2 == 1);
        } else if (choice_ % 16 == 14) {
            flags.pop_back();
        } else {
            flags[choice_ / 16 % flags.size()].flip();
        }
    }
    void change(SequenceDigest& digest) { change_word(digest); }
    /// \pre the digest has fields count, low and high
    void change_word(auto& digest) {
        std::uint64_t& word = choice_ % 3 == 0   ? digest.count
                              : choice_ % 3 == 1 ? digest.low
                                                 : digest.high;
        word = changed_whole(word, choice_ / 3);
    }
    void change(std::string& text) {
        if (choice_ % 3 == 0) {
            text.clear();
        } else {
            text += "x";
        }
    }
    void change(std::vector<std::string>& texts) {
        if (texts.empty() || choice_ % 4 == 0) {
            texts.emplace_back("x");
        } else if (choice_ % 4 == 1) {
            texts.pop_back();
        } else {
            texts.back() += "x";
        }
    }
    void change(std::vector<int>& gpus) {
        switch (choice_ % 3) {
        case 0:
            gpus.push_back(0);
            break;
        case 1:
            gpus.pop_back();
            break;
        default:
            gpus[choice_ / 3 % gpus.size()] += 1;
        }
    }
    void change(std::vector<std::uint64_t>& counts) {
        if (counts.empty() || choice_ % 16 == 15) {
            counts.push_back(choice_ / 16 % 3);
        } else if (choice_ % 16 == 14) {
            counts.pop_back();
        } else {
            std::uint64_t& count = counts[choice_ / 16 % counts.size()];
            count = changed_whole(count, choice_);
        }
    }
    void change(std::map<std::string, std::uint64_t>& values) {
        if (values.empty() || choice_ % 4 == 0) {
            values["x"] = choice_;
        } else if (choice_ % 4 == 1) {
            values.erase(values.begin());
        } else {
            values.begin()->second = changed_whole(values.begin()->second, choice_ / 4);
        }
    }
    template <class Value>
    void change(std::optional<Value>& value) {
        if (value && choice_ % 4 == 0) {
            value.reset();
        } else if (value) {
            choice_ /= 4;
            change(*value);
        } else {
            value.emplace();
        }
    }
    void change(std::optional<double>& value) {
        value = value && choice_ % 2 == 0 ? std::nullopt : std::optional(value.value_or(0) + 1.0);
    }
    void change(std::optional<MultisetDigest>& digest) {
        if (!digest || choice_ % 4 == 0) {
            digest.reset();
        } else {
            choice_ /= 4;
            change_word(*digest);
        }
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void change_enum(Enum& value, int count) {
        auto const step = 1 + static_cast<int>(choice_ % static_cast<std::uint64_t>(count - 1));
        value = static_cast<Enum>((static_cast<int>(value) + step) % count);
    }
    void change(KeyType& value) { change_enum(value, 6); }
    void change(Direction& value) { change_enum(value, 2); }
    void change(ValueType& value) { change_enum(value, 3); }
    void change(Stability& value) { change_enum(value, 2); }
    void change(ZeroOrder& value) { change_enum(value, 2); }
    void change(PlacementState& value) { change_enum(value, 3); }
    void change(DigestStage& value) { change_enum(value, version_ >= 2 ? 4 : 3); }
    void change(Tie& value) { change_enum(value, 2); }
    void change(Operation& value) { change_enum(value, version_ >= 3 ? 5 : 4); }
    void change(SwapLayout& value) { change_enum(value, 3); }

    int version_;
    std::size_t rest_;
    std::uint64_t choice_;
    std::string name_;
};

} // namespace

std::optional<ChangedField> change_field(std::vector<TraceRecord>& records,
                                         FieldChange const& change) {
    int const version = std::get<RunHeader>(records.front()).version;
    TraceRecord& record = records[change.record % records.size()];
    TraceRecord const before = record;
    return std::visit(
        [&]<class Record>(Record& r) -> std::optional<ChangedField> {
            std::size_t const count = field_names(std::as_const(r), version).size();
            FieldChanger changer(version, change.field % count, change.choice);
            visit_fields(r, changer);
            if (r == std::get<Record>(before)) {
                return std::nullopt;
            }
            return ChangedField{std::string(record_kind<Record>.name), changer.name()};
        },
        record);
}

std::vector<FieldChange> changes_of_run(std::vector<TraceRecord> const& records,
                                        std::uint64_t seed) {
    int const version = std::get<RunHeader>(records.front()).version;
    // For each kind and name of a field, the records that have it and its index there.
    std::map<std::pair<std::size_t, std::string>, std::vector<FieldChange>> places;
    for (std::size_t i = 0; i < records.size(); ++i) {
        auto const names = std::visit(
            [&](auto const& record) { return field_names(record, version); }, records[i]);
        for (std::size_t field = 0; field < names.size(); ++field) {
            places[{records[i].index(), names[field]}].push_back({i, field, 0});
        }
    }
    std::vector<FieldChange> changes;
    for (auto const& [field, choices] : places) {
        std::uint64_t const random = mix_bits(seed + changes.size());
        FieldChange change = choices[random % choices.size()];
        change.choice = mix_bits(random);
        changes.push_back(change);
    }
    for (std::size_t i = 0; i < 20; ++i) {
        std::uint64_t const random = mix_bits(seed + changes.size());
        changes.push_back({i % 2 == 0 ? 0 : static_cast<std::size_t>(random >> 40),
                           static_cast<std::size_t>(random >> 20 & 0xfffff),
                           mix_bits(random)});
    }
    return changes;
}

} // namespace keyswap::proptests
