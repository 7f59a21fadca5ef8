"""Haversine: the great-circle distance of points on the earth over a public bound."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray
from .checks import finite, positive

EARTH_RADIUS_KM = 6371.0088


class Haversine:
    """Points in degrees; scale in kilometres, by default a bound on every distance in the candidates' bounding box.

    What lies beyond a given scale is at distance 1, which leaves a metric a metric.

    >>> Haversine([0, 0], [0, 90], scale=20015.2).row(0).round(3)
    array([0. , 0.5])
    """

    def __init__(self, lat: npt.ArrayLike, lon: npt.ArrayLike, scale: float | None = None) -> None:
        latitude, longitude = finite("haversine", lat)[:, 0], finite("haversine", lon)[:, 0]
        if len(latitude) != len(longitude):
            raise InputError(f"haversine: {len(latitude)} latitudes and {len(longitude)} longitudes were given.")
        if (np.abs(latitude) > 90).any():
            raise InputError("haversine: latitudes must lie in [-90, 90] degrees.")
        if (np.abs(longitude) > 360).any():
            raise InputError("haversine: longitudes must lie in [-360, 360] degrees.")
        self.n = len(latitude)
        self._lat, self._lon = np.radians(latitude), np.radians(longitude)
        self._cos = np.cos(self._lat)
        self._widest = self._box() if scale is None else positive("haversine", "scale", scale) / EARTH_RADIUS_KM

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Haversine([40.7, 40.8], [-74.0, -74.0]).row(1).round(6)
        array([1., 0.])
        """
        if self._widest == 0.0:
            return np.zeros(self.n)
        north = np.sin((self._lat - self._lat[item]) / 2.0) ** 2
        east = self._cos * self._cos[item] * np.sin((self._lon - self._lon[item]) / 2.0) ** 2
        angle = 2.0 * np.arcsin(np.sqrt(np.clip(north + east, 0.0, 1.0)))
        distance: FloatArray = np.minimum(angle / self._widest, 1.0)
        return distance

    def _box(self) -> float:
        """Find an angle that no two points of the bounding box exceed; the box may cross the date line."""
        if self.n == 0:
            return 0.0
        around = np.sort(np.mod(self._lon, 2.0 * np.pi))
        gaps = np.diff(np.append(around, around[0] + 2.0 * np.pi))
        span = min(2.0 * np.pi - float(gaps.max()), np.pi)
        height = float(self._lat.max() - self._lat.min())
        widest = float(self._cos.max()) if self._lat.min() * self._lat.max() > 0 else 1.0
        return float(2.0 * np.arcsin(np.sqrt(min(np.sin(height / 2.0) ** 2 + (widest * np.sin(span / 2.0)) ** 2, 1.0))))
