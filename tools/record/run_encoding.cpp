#include "tools/record/third_party_run.hpp"
#include "traces/errors/contracts.hpp"

#include <concepts>
#include <cstring>
#include <type_traits>

namespace keyswap::conformance {

namespace {

// Fields in the order in which they are written and read.

void fields(auto& archive, InputError& error) {
    archive(error.subject, error.problem, error.remedy);
}

void fields(auto& archive, VerdictRecord& verdict) {
    archive(verdict.property, verdict.holds, verdict.detail);
}

void fields(auto& archive, WrongPlace& place) {
    archive(place.index, place.found, place.expected);
}

void fields(auto& archive, PlaceColumn& column) {
    archive(column.lowest, column.highest, column.wrong);
}

void fields(auto& archive, ThirdPartyRun& run) {
    archive(run.seed, run.end.end, run.end.detail, run.end.output_tail, run.end.left_running);
    archive(run.end.duration, run.sentences, run.verdicts, run.input, run.output, run.number);
    archive(run.places.count, run.places.first, run.places.columns);
}

/// Writes fields to a text, or reads them from it: numbers as 64 bits in native order, texts and
/// lists preceded by their length.
class RunArchive {
  public:
    /// Writes.
    RunArchive() = default;
    /// Reads.
    explicit RunArchive(std::string_view text) : text_(text), reads_(true) {}

    void operator()(auto&... values) { (transfer(values), ...); }

    [[nodiscard]] std::string const& text() const { return text_; }
    [[nodiscard]] bool at_end() const { return place_ == text_.size(); }

  private:
    template <class Number>
    requires std::integral<Number> || std::is_enum_v<Number>
    void transfer(Number& number) {
        auto word = static_cast<std::uint64_t>(number);
        transfer_bytes(&word, sizeof(word));
        number = static_cast<Number>(word);
    }
    void transfer(std::string& text) {
        std::size_t size = text.size();
        transfer(size);
        text.resize(size);
        transfer_bytes(text.data(), size);
    }
    void transfer(std::filesystem::path& path) {
        std::string text = path.string();
        transfer(text);
        path = text;
    }
    void transfer(std::chrono::nanoseconds& time) {
        auto count = time.count();
        transfer(count);
        time = std::chrono::nanoseconds(count);
    }
    template <class Element>
    void transfer(std::vector<Element>& list) {
        std::size_t size = list.size();
        transfer(size);
        list.resize(size);
        for (Element& element : list) {
            transfer(element);
        }
    }
    template <class Struct>
    void transfer(Struct& value) {
        fields(*this, value);
    }

    void transfer_bytes(void* bytes, std::size_t size) {
        if (!reads_) {
            text_.append(static_cast<char const*>(bytes), size);
            return;
        }
        KEYSWAP_EXPECTS(size <= text_.size() - place_);
        std::memcpy(bytes, text_.data() + place_, size);
        place_ += size;
    }

    std::string text_;
    bool reads_ = false;
    std::size_t place_ = 0; ///< of the next byte to read
};

} // namespace

std::string encoded(Expected<ThirdPartyRun> run) {
    RunArchive archive;
    bool has_value = run.has_value();
    archive(has_value);
    run ? archive(*run) : archive(run.error());
    return archive.text();
}

Expected<ThirdPartyRun> decoded_run(std::string_view text) {
    RunArchive archive(text);
    bool has_value = false;
    archive(has_value);
    Expected<ThirdPartyRun> run = tl::unexpected(InputError{});
    if (has_value) {
        run.emplace();
    }
    run ? archive(*run) : archive(run.error());
    KEYSWAP_EXPECTS(archive.at_end());
    return run;
}

} // namespace keyswap::conformance
