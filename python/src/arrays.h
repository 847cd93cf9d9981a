#pragma once
// From C++ to NumPy and back.
#include <array>
#include <cstddef>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <string>
#include <utility>
#include <vector>

namespace talus_python {

namespace nb = nanobind;

// NumPy arrays that nobody writes to. N: any extent.
template <class T, class... Shape> using Array = nb::ndarray<nb::numpy, const T, Shape...>;
inline constexpr nb::ssize_t any = -1;
template <class T> using Column = Array<T, nb::shape<any>>;
template <class T> using Columns3 = Array<T, nb::shape<any, 3>>;
template <class T> using Columns4 = Array<T, nb::shape<any, 4>>;
using Vector3 = Array<double, nb::shape<3>>;
using Quaternion = Array<double, nb::shape<4>>;
// Of properties that are arrays: they have their owner already.
inline constexpr auto handed_over = nb::rv_policy::automatic;

// As they come from Python: so many numbers in a sequence or an array. wrong: what came instead, as Python shows it.
// nanobind's own error has the type alone, which is the right one where there are too few numbers, and no argument.
template <std::size_t n> struct Numbers {
  std::array<double, n> values{};
  std::string wrong = "";

  const std::array<double, n>& of(const char* argument) const {
    if (!wrong.empty())
      throw nb::type_error(
          (std::string(argument) + " must be " + std::to_string(n) + " numbers, not " + wrong).c_str());
    return values;
  }
};
using Three = Numbers<3>;
using Four = Numbers<4>;

inline glm::dvec3 vector_of(const Three& v, const char* argument) {
  const auto& [x, y, z] = v.of(argument);
  return {x, y, z};
}

// The number of a world or a shelf. One below 0 is a wrong number, not a wrong type.
struct Number {
  std::int64_t value;
  operator std::uint32_t() const {
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max())
      throw nb::value_error(
          ("worlds and shelves have numbers from 0 on: there is no number " + std::to_string(value)).c_str());
    return static_cast<std::uint32_t>(value);
  }
};

// Keeps what the arrays show for as long as one of them lives.
template <class T> nb::capsule owner_of(T kept) {
  return nb::capsule(new T(std::move(kept)), [](void* at) noexcept { delete static_cast<T*>(at); });
}

// An array of one member of the structs at `first`, each `stride` bytes after the one before.
template <class Result, class T>
Result member_of(const T* first, std::size_t stride, std::initializer_list<std::size_t> shape, nb::handle owner) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  strides[0] = static_cast<std::int64_t>(stride / sizeof(T));
  return Result(first, shape.size(), shape.begin(), owner, strides.data());
}

template <class T> Array<T, nb::shape<any>> column_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = kept->data();
  const std::size_t size = kept->size();
  return Column<T>(data, {size}, owner_of(std::move(kept)));
}

template <class Result, std::size_t n> Result small_array(const std::array<double, n>& values) {
  auto kept = std::make_unique<std::array<double, n>>(values);
  const double* data = kept->data();
  return Result(data, {n}, owner_of(std::move(kept)));
}

inline Vector3 array_of(const glm::dvec3& v) {
  return small_array<Vector3, 3>({v.x, v.y, v.z});
}
inline Quaternion array_of(const glm::dquat& q) {
  return small_array<Quaternion, 4>({q.x, q.y, q.z, q.w});
}

}  // namespace talus_python

template <std::size_t n> struct nanobind::detail::type_caster<talus_python::Numbers<n>> {
  NB_TYPE_CASTER(talus_python::Numbers<n>,
                 const_name("collections.abc.Sequence[float] | numpy.typing.NDArray[typing.Any]"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) {
    make_caster<std::array<double, n>> numbers;
    if (numbers.from_python(source, flags, cleanup)) {
      value.values = static_cast<std::array<double, n>&>(numbers);
      return true;
    }
    if (!(flags &
          static_cast<uint8_t>(cast_flags::convert)))  // another overload may take it, or this one if it converts
      return false;
    PyErr_Clear();
    const object shown = steal(PyObject_Repr(source.ptr()));
    const char* text = shown.is_valid() ? PyUnicode_AsUTF8(shown.ptr()) : nullptr;
    PyErr_Clear();
    constexpr std::size_t most = 80;
    value.wrong = text ? text : "what cannot be shown";
    if (value.wrong.size() > most)
      value.wrong = std::string("a long ") + Py_TYPE(source.ptr())->tp_name;
    return true;
  }
  static handle from_cpp(const talus_python::Numbers<n>& numbers, rv_policy policy, cleanup_list* cleanup) {
    return make_caster<std::array<double, n>>::from_cpp(numbers.values, policy, cleanup);
  }
};

template <> struct nanobind::detail::type_caster<talus_python::Number> {
  NB_TYPE_CASTER(talus_python::Number, const_name("int"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::int64_t> number;
    if (!number.from_python(source, flags, cleanup))
      return false;
    value.value = number.value;
    return true;
  }
  static handle from_cpp(const talus_python::Number& number, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<std::int64_t>::from_cpp(number.value, policy, cleanup);
  }
};
