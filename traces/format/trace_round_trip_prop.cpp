#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace keyswap {
namespace {

using namespace testing;

/// Arbitrary code points, including quotes, control characters and non-ASCII text.
std::string any_text() {
    static std::vector<std::string> const pieces{"a",
                                                 "Z",
                                                 " ",
                                                 "\"",
                                                 "\\",
                                                 "\n",
                                                 std::string(1, '\0'),
                                                 "\x7f",
                                                 "ä",
                                                 "€",
                                                 "𝄞",
                                                 "{",
                                                 ",\"crc32\":\""};
    auto const chosen = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, pieces.size()));
    std::string text;
    for (std::size_t const piece : chosen) {
        text += pieces[piece];
    }
    return text;
}

template <class T>
T any() {
    return *rc::gen::arbitrary<T>();
}

/// Small and large 64-bit numbers.
std::uint64_t any_count() {
    return any<std::uint64_t>() >> *rc::gen::inRange(0, 64);
}
GpuId any_gpu() {
    return GpuId{any<std::uint32_t>()};
}
BucketPrefix any_bucket() {
    return {*rc::gen::inRange(0, 65), any_count()};
}
MultisetDigest any_digest() {
    return {any_count(), any_count(), any_count()};
}

template <class Enum>
Enum any_of(std::initializer_list<Enum> values) {
    return *rc::gen::elementOf(std::vector<Enum>(values));
}

template <class Value>
std::optional<Value> any_optional(Value const& value) {
    return any<bool>() ? std::optional(value) : std::nullopt;
}

RunHeader any_header() {
    RunHeader header;
    for (std::string* text : {&header.program,
                              &header.commit,
                              &header.created,
                              &header.device,
                              &header.driver,
                              &header.algorithm,
                              &header.variant,
                              &header.input.distribution,
                              &header.input.file}) {
        *text = any_text();
    }
    header.key_count = any_count();
    header.gpus = any<std::vector<int>>();
    header.virtual_gpus = any<bool>();
    header.direction = any_of({Direction::ascending, Direction::descending});
    header.value_type = any_of({ValueType::none, ValueType::bits32, ValueType::bits64});
    header.stability = any_of({Stability::unstable, Stability::stable});
    header.zero_order = any_of({ZeroOrder::total, ZeroOrder::equal});
    header.digit_bits = any<int>();
    header.tolerance_ppm = any<std::uint32_t>();
    header.fuse_ppm = any<std::uint32_t>();
    header.input.seed = any_count();
    header.input.generator_version = any<int>();
    if (any<bool>()) {
        auto const parameter = std::bit_cast<double>(any<std::uint64_t>());
        header.input.parameter = std::isfinite(parameter) ? parameter : 0.1;
    }
    if (any<bool>()) {
        header.input.content = any_digest();
    }
    header.version = any_of({1, 2, 3});
    std::span<KeyType const> const types =
        header.version == 1 ? narrow_key_types : std::span<KeyType const>(every_key_type);
    header.key_type = *rc::gen::elementOf(std::vector<KeyType>(types.begin(), types.end()));
    if (header.version >= 2) {
        header.operation = any_of({Operation::sort, Operation::multisplit});
        header.layout = any_of<std::optional<SwapLayout>>(
            {std::nullopt, SwapLayout::by_bucket, SwapLayout::by_source, SwapLayout::by_round});
        header.parameters[any_text()] = any_count();
    }
    if (header.version >= 3 && any<bool>()) {
        header.operation = Operation::external_sort;
        if (any<bool>()) {
            header.input.more_files = {any_text(), any_text()};
        }
        header.input.format = any_optional(any_text());
        header.input.column = any_optional(any_text());
    }
    return header;
}

SequenceDigest any_sequence() {
    return {any_count(), any_count(), any_count()};
}
KeyImage any_image() {
    return {any<bool>() ? any_count() : 0, any_count()};
}

BucketRule any_rule() {
    switch (*rc::gen::inRange(0, 7)) {
    case 0:
        return DigitBuckets{any<int>(), any<int>()};
    case 1:
        return DeltaBuckets{any_image(), any_image()};
    case 2: {
        SplitterBuckets rule;
        rule.tie = any_of({Tie::left, Tie::right});
        rule.splitters.resize(*rc::gen::inRange<std::size_t>(0, 30));
        std::ranges::generate(rule.splitters, any_image);
        rule.equality = any<std::vector<bool>>();
        return rule;
    }
    case 3:
        return PrimeBuckets{};
    case 4:
        return HashBuckets{any_count()};
    case 5:
        return LabelBuckets{any_sequence(), any_text()};
    default:
        return ForeignBuckets{any_text()};
    }
}

PartitionRecord any_partition() {
    return {any<int>(),
            any_gpu(),
            any_bucket(),
            any<std::uint32_t>(),
            any_count(),
            any_count(),
            any_text(),
            any_of({Stability::unstable, Stability::stable}),
            any_count(),
            any<std::vector<std::uint64_t>>(),
            any_optional(any_sequence()),
            any_optional(any_sequence())};
}

HistogramRecord any_histogram(int version) {
    HistogramRecord record{any_bucket(), any_gpu(), any_count(), {}};
    if (version >= 2) {
        record.step = any_optional(any<int>());
        record.function = any_optional(any<std::uint32_t>());
    }
    record.counts.assign(*rc::gen::inRange<std::size_t>(0, 300), 0);
    int const dense_percent = any_of({0, 5, 100});
    for (std::uint64_t& count : record.counts) {
        count = *rc::gen::inRange(0, 100) < dense_percent ? any_count() : 0;
    }
    return record;
}

DigestRecord any_digest_record(int version) {
    DigestRecord record{
        any_of({DigestStage::before_swap, DigestStage::after_swap, DigestStage::after_sort}),
        any_gpu(),
        any_bucket(),
        any_digest()};
    if (version >= 2 && any<bool>()) {
        record.stage = DigestStage::after_step;
        record.step = any_optional(any<int>());
    }
    return record;
}

/// A record of a type that the version supports.
TraceRecord any_record(int version) {
    switch (*rc::gen::inRange(0, version >= 3 ? 15 : version >= 2 ? 12 : 8)) {
    case 0:
        return any_histogram(version);
    case 1:
        return PlacementRecord{
            any_bucket(),
            any_count(),
            any_count(),
            any_gpu(),
            any_gpu(),
            any_of({PlacementState::placed, PlacementState::spanning, PlacementState::cut})};
    case 2:
        return OwnershipRecord{any_gpu(), any_count(), any_count()};
    case 3:
        return CopyRecord{any_gpu(),
                          any_count(),
                          any_gpu(),
                          any_count(),
                          any_count(),
                          version >= 2 ? any<int>() : 0};
    case 4:
        return SortRangeRecord{any_gpu(), any_count(), any_count(), any<int>(), any<int>()};
    case 5:
        return any_digest_record(version);
    case 6:
        return PhaseTimeRecord{any_gpu(),
                               PhaseName::of(any_text()),
                               any<int>(),
                               any<std::int64_t>(),
                               any<std::int64_t>()};
    case 7:
        return VerdictRecord{any_text(), any<bool>(), any_text()};
    case 8:
        return BucketFunctionRecord{
            any<std::uint32_t>(), any_bucket(), {any<std::uint32_t>(), any_rule()}};
    case 9:
        return any_partition();
    case 10:
        return RelaxationRecord{any_count(),
                                any_count(),
                                any_count(),
                                any_count(),
                                any<std::uint32_t>(),
                                any_count(),
                                any<std::vector<std::uint64_t>>(),
                                any_optional(any_sequence())};
    case 11:
        return MergeRecord{any<int>(),
                           any<bool>() ? std::optional(any_gpu()) : std::nullopt,
                           any_count(),
                           any<std::vector<std::uint64_t>>()};
    case 12:
        return ExternalSortRecord{any<std::uint32_t>(),
                                  any<std::uint32_t>(),
                                  any<std::uint32_t>(),
                                  any_count(),
                                  any_count(),
                                  any_count(),
                                  any_count(),
                                  any_count(),
                                  any_optional(any_count())};
    case 13:
        return RangeDivisionRecord{
            any_count(), any_count(), any_count(), any_count(), any_count(), any_sequence()};
    default:
        return KeyRangeRecord{any_count(),
                              any_optional(any_count()),
                              any_image(),
                              any_image(),
                              any_count(),
                              any_optional(any_digest()),
                              any_optional(any_count()),
                              any_optional(any_digest())};
    }
}

std::vector<TraceRecord> any_records() {
    RunHeader const header = any_header();
    std::vector<TraceRecord> records{header};
    int const count = *rc::gen::inRange(0, 20);
    for (int i = 0; i < count; ++i) {
        records.push_back(any_record(header.version));
    }
    return records;
}

RC_GTEST_PROP(TraceText, SurvivesARoundTripWithEveryRecordType, ()) {
    auto const records = any_records();
    auto const read = records_of(text_of(records));
    if (!read) {
        RC_FAIL(read.error().message());
    }
    RC_ASSERT(*read == records);
}

RC_GTEST_PROP(TraceText, IsRefusedWithAnySingleFlippedByte, ()) {
    std::string text = text_of(any_records());
    auto const place = *rc::gen::inRange<std::size_t>(0, text.size());
    auto const flip = *rc::gen::inRange(1, 256);
    text[place] = static_cast<char>(text[place] ^ flip);
    auto const read = records_of(text);
    RC_ASSERT(!read);
    RC_ASSERT(read.error().message().find("a.trace") == 0U);
}

RC_GTEST_PROP(TraceText, IsRefusedWhenCutOffAnywhere, ()) {
    std::string text = text_of(any_records());
    text.resize(*rc::gen::inRange<std::size_t>(0, text.size()));
    RC_ASSERT(!records_of(text));
}

} // namespace
} // namespace keyswap
